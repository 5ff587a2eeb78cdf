/** What a failing test shows and writes, and that its server is closed. Each runner has a process of its own. */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { writeFailureTrace } from "../../src/adapters/failure-files.ts";
import { createSimulator } from "../../src/index.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const root = join(import.meta.dirname, "../..");
const vitestRun = [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  `--config=${join(import.meta.dirname, "failing/vitest.config.ts")}`,
  ...["--reporter=default", `--reporter=${join(root, "src/vitest-coverage.ts")}`],
];

function run(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const quiet = { NO_COLOR: "1", FORCE_COLOR: "0" };
    const options = { cwd: root, env: { ...process.env, ...quiet, ...env } };
    execFile(process.execPath, args, options, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

test("vitest shows the message, both sides, the last requests, and coverage; a failed test's server is closed", {
  timeout: 120_000,
}, async () => {
  const folder = join(temporaryFolder(), "traces");
  const choices = { ADSIM_ASSUMPTIONS: '{"dedup.repeat":"conflict"}' };
  const said = await run({ ADSIM_TRACES: folder, ...choices }, ...vitestRun);
  expect(said).toContain('Expected an impression on record with ad "ad-2": there is none.');
  expect(said).toMatch(/- {3}"ad": "ad-2",?\n\+ {3}"ad": "ad-1",?\n/);
  expect(said).toContain("adsim: 1 request to the test's world.");
  expect(said).toContain("#1 2026-01-15T00:00:00.000Z POST /v1/impression → 200, recorded");
  // The test that asked something has a trace, and those that passed or never had a world have none.
  const traces = readdirSync(folder);
  const [trace = ""] = traces;
  expect(traces).toEqual([expect.stringMatching(/^a-failed-test-fails-[0-9a-f]{8}\.html$/)]);
  expect(said).toContain(`adsim: to open in a browser: ${join(folder, trace)}`);
  expect(readFileSync(join(folder, trace), "utf8")).toContain(
    "<title>fails.ts &gt; a failed test &gt; fails</title>",
  );
  expect(said).toContain('transport must be "fetch", "msw" or "http".');
  expect(said).toContain("InputError: sede is not known here.");
  expect(said).toMatch(/Tests {2}3 failed \| 3 passed \| 1 expected fail \(7\)/);
  expect(said).toMatch(/adsim: coverage of the API\n {2}operations +1 of 5\n {2}errors +2 of/);
});

test("ADSIM_TRACES=off keeps failed tests from writing traces", async () => {
  vi.stubEnv("ADSIM_TRACES", "off");
  const trace = { file: "trace.html", title: "failed", folder: temporaryFolder() };
  expect(await writeFailureTrace(createSimulator(), trace)).toBe(undefined);
  vi.unstubAllEnvs();
  expect(readdirSync(trace.folder)).toEqual([]);
});

test("node:test shows the message and both sides of a plain assertion", {
  timeout: 60_000,
}, async () => {
  const said = await run({}, join(import.meta.dirname, "failing/node-test.ts"));
  expect(said).toContain("Expected an impression on record: there is none.");
  expect(said).toMatch(/code: 'ERR_ASSERTION'/);
  expect(said).toMatch(/expected: \{ ad: 'ad-2' \}/);
  expect(said).toMatch(/pass 1\n.*fail 2\n/);
});
