/** `adsim matrix` and `adsim exec` with suites that simulate the service in their own process. */

import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { simulatorFromEnvironment } from "../../src/index.ts";
import { senderOf } from "../operation-sender.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Cmd, runAdsim, runAdsimOver } from "./run-adsim.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Report {
  readonly verdict: string;
  readonly kept: readonly string[];
  readonly defaults: { readonly runs: readonly { requests: number; inProcess: boolean }[] };
  readonly reliances: readonly { readonly assume: readonly string[] }[];
}

test("a matrix varies what such a suite's simulators assume, but not what a test chooses itself", async () => {
  // It fails if a repeated impression is refused.
  const suite: Cmd = ({ env }) => {
    for (const name of ["ADSIM_ASSUMPTIONS", "ADSIM_REACHED"]) vi.stubEnv(name, env[name]);
    const assumptions = { "response.form": "evolved" } as const;
    const { impression } = senderOf(simulatorFromEnvironment({ assumptions }));
    return [impression("s"), impression("s")].every(({ status }) => status === 200) ? 0 : 1;
  };
  vi.stubEnv("TMPDIR", temporaryFolder());
  const args = ["matrix", "--json", "--only", "dedup.repeat,response.form"];
  const { stdout, stderr: text } = await runAdsimOver(suite, args);
  const report: Report = JSON.parse(stdout);
  expect(report).toMatchObject({ verdict: "relies", kept: ["response.form"] });
  expect(report.reliances.map(({ assume }) => assume)).toEqual([["dedup.repeat=conflict"]]);
  expect(report.defaults.runs).toMatchObject([
    { requests: 0, inProcess: true },
    { requests: 0, inProcess: true },
  ]);
  expect(text).toContain(
    "Your tests choose these themselves, so they weren't varied there: response.form.",
  );
});

test("exec runs such a suite under the choices of --assume, says that it asked no server, and shows what it reached", async () => {
  const args = ["exec", "--assume", "dedup.repeat=conflict", "--coverage"];
  const suite = join(import.meta.dirname, "in-process/suite.ts");
  const { code, stderr } = await runAdsim([...args, "--", process.execPath, suite]);
  expect(code).toBe(1);
  expect(stderr).toContain("CMD sent no request to the server: simulators in its own process");
  expect(stderr).toMatch(/\nadsim: coverage of the API\n {2}operations +1 of 5\n/);
  expect(stderr).toContain("Not reached of the operations: stats, click, surfaces, payouts.");
});
