import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Report {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** A run that has failed tests exits with 1. */
async function runSuite(): Promise<Report> {
  const root = join(import.meta.dirname, "../..");
  const folder = mkdtempSync(join(tmpdir(), "adsim-isolation-"));
  const file = join(folder, "report.json");
  const args = [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    `--config=${join(import.meta.dirname, "isolation/vitest.config.ts")}`,
    ...["--pool=threads", "--maxWorkers=2", "--silent", "--reporter=json", `--outputFile=${file}`],
  ];
  const said = await new Promise<string>((resolve) => {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve([error?.message, stdout, stderr].join("\n"));
    });
  });
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`There is no report. The run said: ${said}`, { cause });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("50 tests in threads, by fetch, MSW and HTTP, don't see each other; in one world they do", {
  timeout: 240_000,
}, async () => {
  const { testResults, numTotalTests } = await runSuite();
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const [shared, apart] = [true, false].map((isShared) =>
    results.filter(({ title }) => title.startsWith("shared-") === isShared),
  );
  expect(numTotalTests).toBe(58);
  expect(apart?.filter(({ status }) => status !== "passed")).toEqual([]);
  expect(apart).toHaveLength(50);
  for (const transport of ["fetch", "msw", "http"]) {
    const ofIt = apart?.filter(({ title }) => title.includes(`-${transport}-`));
    expect(ofIt?.length).toBeGreaterThanOrEqual(16);
  }
  expect(shared?.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "failed"));
  expect(shared?.[0]?.failureMessages[0]).toMatch(/Expected 2 requests: \d+ such requests came/);
});
