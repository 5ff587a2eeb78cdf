/** `adsim matrix` and `adsim exec` with suites that simulate the service in their own process. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isThorough, someOf } from "../budget.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
  vi.unstubAllEnvs();
});

const suite = join(import.meta.dirname, "in-process/suite.ts");
const cmd = (how: string, own = "{}") => [process.execPath, "--no-warnings", suite, how, own];

interface Report {
  readonly verdict: string;
  readonly varied: readonly string[];
  readonly unreached: readonly string[];
  readonly kept: readonly string[];
  readonly counts: { readonly rows: number; readonly planned: number; readonly failed: number };
  readonly defaults: { readonly runs: readonly { requests: number; inProcess: boolean }[] };
  readonly reliances: readonly { readonly assume: Readonly<Record<string, string>> }[];
}

async function matrix(
  command: readonly string[],
  ...options: readonly string[]
): Promise<{ readonly report: Report; readonly text: string }> {
  vi.stubEnv("TMPDIR", temporaryFolder());
  const { stdout, stderr } = await runAdsim(["matrix", "--json", ...options, "--", ...command]);
  return { report: JSON.parse(stdout), text: stderr };
}

describe("a matrix over a suite in its own process", () => {
  test.each(someOf(["environment", "msw"]))(
    "varies what the simulator assumes: %s",
    async (how) => {
      const { report } = await matrix(cmd(how), "--only", "dedup.repeat");
      expect(report.verdict).toBe("relies");
      expect(report.reliances.map(({ assume }) => assume)).toEqual([
        { "dedup.repeat": "conflict" },
      ]);
      expect(report.defaults.runs).toMatchObject([
        { requests: 0, inProcess: true },
        { requests: 0, inProcess: true },
      ]);
    },
  );

  test.each(someOf(["msw", "environment"]))("keeps what a test chooses itself: %s", async (how) => {
    const own = JSON.stringify({ "dedup.repeat": "replay" });
    const { report, text } = await matrix(cmd(how, own), "--only", "dedup.repeat");
    expect(report).toMatchObject({ verdict: "green", kept: ["dedup.repeat"] });
    expect(text).toContain(
      "Your tests choose these themselves, so they weren't varied there: dedup.repeat.",
    );
  });

  test("doesn't say that a suite that fails with the defaults sent nothing", async () => {
    const own = JSON.stringify({ "dedup.repeat": "conflict" });
    const { report, text } = await matrix(cmd("environment", own), "--only", "dedup.key");
    expect(report.verdict).toBe("fails-on-defaults");
    expect(text).not.toContain("sent no request");
  });

  test("says that two choices fail only together", async () => {
    const only = ["--only", "errors.body,errors.invalid"];
    const { report, text } = await matrix(cmd("environment"), ...only);
    expect(report.reliances.map(({ assume }) => assume)).toEqual([
      { "errors.body": "html", "errors.invalid": "422" },
    ]);
    expect(text).toContain("  fails when both: errors.body = html and errors.invalid = 422\n");
  });
});

test("a matrix leaves out keys that shaped no answer, and has fewer rows then", async () => {
  const script = `
    const { ADSIM_URL, ADSIM_API_KEY, ADSIM_PUBLISHER_ID } = process.env;
    const url = ADSIM_URL + "/v1/publisher/payouts?publisher_id=" + encodeURIComponent(ADSIM_PUBLISHER_ID);
    await fetch(url, { headers: { authorization: "Bearer " + ADSIM_API_KEY } });`;
  const call = [process.execPath, "--input-type=module", "--eval", script];
  const { report, text } = await matrix(call, "--strength", "1");
  expect(report.verdict).toBe("green");
  expect(report.varied).toContain("payout.order");
  expect(report.varied).toContain("ids.format");
  expect(report.unreached).toContain("dedup.key");
  expect(report.unreached).toContain("errors.body");
  expect(report.counts.planned).toBe(7);
  expect(report.counts.rows).toBeLessThan(report.counts.planned);
  expect(text).toContain("Not varied, because they shaped no answer to your client:");
  expect(text).toContain(`With them there would be ${report.counts.planned} combinations.`);
});

test("exec says that such a suite asked no server, shows what of the API it reached, and what would reach more", async () => {
  const { stderr } = await runAdsim(["exec", "--coverage", "--", ...cmd("msw")]);
  expect(stderr).toContain("CMD sent no request to the server: simulators in its own process");
  expect(stderr).toMatch(/\nadsim: coverage of the API\n {2}operations +1 of 5\n/);
  expect(stderr).toContain("Not reached of the operations: stats, click, surfaces and payouts.");
  expect(stderr).toMatch(/\nThe nearest requests that reach more:\n {2}\S/);
});

test("exec runs such a suite under the choices of --assume", async () => {
  const run = (...options: readonly string[]) =>
    runAdsim(["exec", ...options, "--", ...cmd("environment")]);
  expect((await run()).code).toBe(0);
  expect((await run("--assume", "dedup.repeat=conflict")).code).toBe(1);
});

describe("tests with the vitest fixture", () => {
  const root = join(import.meta.dirname, "../..");
  const vitest = [
    process.execPath,
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    `--config=${join(import.meta.dirname, "in-process/vitest.config.ts")}`,
  ];

  // Vitest transforms all that the reporter imports from our sources, which takes seconds.
  if (isThorough)
    test("pass, and the reporter adsim/vitest/coverage ends with their coverage", async () => {
      const [file = "", ...args] = vitest;
      const reporter = `--reporter=${join(root, "src/vitest-coverage.ts")}`;
      const { stdout } = await promisify(execFile)(file, [...args, reporter]);
      expect(stdout).toMatch(/adsim: coverage of the API\n {2}operations +1 of 5\n/);
    });

  test("fail under exec --assume with a choice that they can't stand", async () => {
    const conflict = ["--assume", "dedup.repeat=conflict"];
    const { code } = await runAdsim(["exec", ...conflict, "--", ...vitest], { NO_COLOR: "1" });
    expect(code).toBe(1);
  });
});
