/** `--scenario` of `serve` and `exec`: a server that starts from the end of a scenario. */

import { describe, expect, onTestFinished, test } from "vitest";
import type { ServerFlags } from "../../src/cli/options/common-options.ts";
import { startFrom } from "../../src/cli/start-server.ts";
import { fileOf } from "../temporary-folder.ts";
import { type Cmd, createHost, runAdsim, runAdsimOver } from "./run-adsim.ts";

const month = {
  name: "month",
  about: "An impression, and a month later another.",
  seed: "months",
  start: "2026-03-01T00:00:00Z",
  publishers: 3,
  assumptions: { "errors.body": "flat" },
  steps: [{ impression: {}, expect: { status: 200 } }, { advance: "30d" }, { impression: {} }],
};
const failing = { ...month, expectations: [{ audit: { total: { applied: 3 } } }] };

/** The world `default` of such a server, and what was said at its start. */
async function started(flags: Partial<ServerFlags>) {
  const { host, stderr } = createHost();
  const server = await startFrom({ port: 0, ...flags }, "system", host);
  onTestFinished(() => server.close());
  return { world: server.worlds.get("default"), said: stderr() };
}

describe("the world default", () => {
  test("continues from the scenario's end, and its clock flows from there", async () => {
    const { world, said } = await started({ scenario: fileOf(month) });
    expect(said).toMatch(/^adsim: played the scenario month \(passed: /);
    expect(world.usage().impressions).toBe(2);
    expect(world.journal.total).toBe(2);
    expect(world.clock.mode).toBe("flowing");
    const sinceMs = world.clock.now() - Date.parse("2026-03-31T00:00:00Z");
    expect(sinceMs).toBeGreaterThanOrEqual(0);
    expect(sinceMs).toBeLessThan(3_600_000);
  });

  test("has the clock of --clock, and options such as --seed override the scenario's", async () => {
    const own = { clock: "frozen", seed: "another", publishers: 5 } as const;
    const assume = { "errors.invalid": "422" };
    const { world } = await started({ scenario: fileOf(month), ...own, assume });
    expect([world.clock.mode, world.seed, world.publishers.total]).toEqual(Object.values(own));
    expect(world.clock.now()).toBe(Date.parse("2026-03-31T00:00:00Z"));
    expect(world.assumptions).toMatchObject({ "errors.body": "flat", "errors.invalid": "422" });
  });
});

describe("no server starts", () => {
  test("if the scenario is failed: exit code 1, and the report", async () => {
    const { code, stdout, stderr } = await runAdsim(["serve", "--scenario", fileOf(failing)]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/expectations\.0[\s\S]*the scenario month failed/);
  });

  test.each<[string, () => string[], RegExp]>([
    ["an invalid scenario", () => [fileOf({ ...month, steps: [{}] })], /json: steps\.0/],
    ["an unknown name", () => ["lost-akc"], /Did you mean "lost-ack"/],
    ["--load as well", () => ["lost-ack", "--load", "x"], /--load can't be combined with/],
    ["a wrong override", () => ["lost-ack", "--start", "soon"], /--start must be an instant/],
  ])("with %s: exit code 2", async (_, args, expected) => {
    const { code, stdout, stderr } = await runAdsim(["serve", "--scenario", ...args()]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(expected);
  });
});

test("exec runs CMD in the world of the scenario's end, and reports on CMD's requests alone", async () => {
  let audit: unknown;
  const cmd: Cmd = async ({ env }) => {
    audit = await (await fetch(`${env.ADSIM_URL}/_sim/audit`)).json();
  };
  const options = ["--fail-on-findings", "--scenario", fileOf(month)];
  const { code, stderr } = await runAdsimOver(cmd, ["exec", ...options]);
  expect(code).toBe(0);
  expect(audit).toMatchObject({ total: { applied: 2 } });
  expect(stderr).toMatch(/\nadsim: 0 requests\nCMD sent no request to adsim\. It must take/);
  expect(stderr).not.toMatch(/findings?:|forgotten/);
});
