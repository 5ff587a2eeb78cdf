/** `adsim export`, and `--to artillery`: which parts of a scenario are in the script, and which the output says are left out. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { durationMs } from "../../src/base/duration.ts";
import { countArrivals } from "../../src/cli/export/traffic-plan.ts";
import { createSimulator } from "../../src/index.ts";
import type { Step } from "../../src/play/scenario/types.ts";
import { createTrafficSource } from "../../src/play/traffic/source.ts";
import type { Arrivals } from "../../src/play/traffic/traffic.ts";
import { startServer } from "../../src/server.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

interface Script {
  readonly config: {
    readonly target: string;
    readonly http: { readonly timeout: number };
    readonly phases: readonly {
      readonly name: string;
      readonly duration?: number | string;
      readonly pause?: number | string;
      readonly arrivalCount?: number;
    }[];
    readonly variables: Readonly<Record<string, readonly string[]>>;
  };
  readonly scenarios: readonly {
    readonly name: string;
    readonly weight: number;
    readonly flow: readonly object[];
  }[];
}

function scenarioOf(steps: readonly Step[], more: object = {}): string {
  return fileOf({ name: "mine", about: "Traffic.", steps, ...more });
}

async function scriptOf(
  steps: readonly Step[],
  options: readonly string[] = [],
): Promise<{ readonly script: Script; readonly stderr: string }> {
  const args = ["export", scenarioOf(steps), "--to", "artillery", ...options];
  const { code, stdout, stderr } = await runAdsim(args);
  expect(`${code} ${stdout === "" ? stderr : ""}`).toBe("0 ");
  return { script: JSON.parse(stdout), stderr };
}

const steady = {
  traffic: { for: "1m", arrivals: { kind: "constant", rate: "10/s" } },
} satisfies Step;

test.each<[Arrivals, string]>([
  [{ kind: "constant", rate: "133.5/s" }, "90s"],
  [{ kind: "constant", rate: "3/s" }, "400ms"],
  [{ kind: "poisson", rate: "20/m" }, "30m"],
  [{ kind: "ramp", from: "0/s", to: "90/m" }, "37500ms"],
  [{ kind: "daily", mean: "100/h" }, "30h"],
  [{ kind: "trace", atMs: [10, 20, 3_000_000] }, "1h"],
])("%j for %s: in each interval as many as the player sends", (arrivals, duration) => {
  const traffic = { arrivals, for: duration };
  const order = { seed: "adsim", startMs: Date.parse("2026-01-15T00:00:00Z"), number: 0 };
  const members = [createSimulator().publishers.at(0)];
  const source = createTrafficSource({ traffic, members, ...order, observe: () => undefined });
  const due: number[] = [];
  for (let next = source.next(); next !== undefined; next = source.next()) due.push(next.dueMs);

  const { intervalMs, stretches } = countArrivals(traffic, order);
  const counts = stretches.flatMap(({ intervals, count }) =>
    Array.from({ length: intervals }, () => count),
  );
  const dueIn = (place: number): number =>
    due.filter((ms) => Math.floor(ms / intervalMs) === place).length;
  expect(counts).toEqual(counts.map((_, place) => dueIn(place)));
  expect(counts.length * intervalMs).toBeGreaterThanOrEqual(durationMs(duration));
  expect(intervalMs).toBeGreaterThanOrEqual(1000);
  expect(counts.length).toBeLessThanOrEqual(200);
});

test("a phase for each stretch, with keys, ids and surfaces of the scenario's publishers", async () => {
  const burst: Arrivals = { kind: "burst", count: 50, every: "20s", within: "2s" };
  const world = { seed: "zwei", publishers: 4 };
  const { script, stderr } = await scriptOf(
    [{ traffic: { for: "30s", arrivals: burst } }],
    ["--seed", "zwei", "--publishers", "4"],
  );
  const { id, apiKey, surfaces } = createSimulator(world).publishers.at(0);
  expect(script.config).toEqual({
    ...{ target: "http://127.0.0.1:4010", http: { timeout: 10 } },
    variables: { surface_0_0: surfaces.map((surface) => surface.id) },
    phases: [
      { name: "traffic_0", duration: 2, arrivalCount: 50 },
      { name: "traffic_0", pause: 18 },
      { name: "traffic_0", duration: 2, arrivalCount: 50 },
      { name: "traffic_0", pause: 8 },
    ],
  });
  const json = {
    ...{ publisher_id: id, surface: "{{ surface_0_0 }}" },
    ad_id: "ad-{{ $randomNumber(1, 20) }}",
    session_id: "artillery-{{ $randomString(24) }}",
  };
  const headers = { authorization: `Bearer ${apiKey}` };
  const flow = [{ post: { url: "/v1/impression", headers, json } }];
  const name = "traffic 0: impression of publisher 0";
  expect(script.scenarios).toEqual([{ name, weight: 10_000, flow }]);
  expect(stderr).toBe(
    "adsim: the API keys work with: npx adsim serve --seed zwei --publishers 4 --profile typical\n" +
      "adsim: run it with: npx artillery run FILE\n",
  );
});

test("users are weighted by the mix, and those who click by the click rate", async () => {
  const mixed = {
    ...{ mix: { impression: 8, payouts: 2 }, clicks: { rate: 0.25, after: "1500ms" } },
    ...{ publishers: [0, 2], surfaces: 1, sessions: false, timeout: "2500ms" },
  };
  const { script } = await scriptOf([{ traffic: { ...steady.traffic, ...mixed } }]);
  const weights = script.scenarios.map(({ name, weight }) => [name, weight]);
  expect(Object.fromEntries(weights)).toEqual({
    "traffic 0: impression of publisher 0": 3000,
    "traffic 0: impression of publisher 0, clicked": 1000,
    "traffic 0: payouts of publisher 0": 1000,
    "traffic 0: impression of publisher 2": 3000,
    "traffic 0: impression of publisher 2, clicked": 1000,
    "traffic 0: payouts of publisher 2": 1000,
  });
  const flow = script.scenarios.find(({ name }) => name.includes("clicked"))?.flow;
  expect(flow).toMatchObject([
    { post: { capture: [{ json: "$.impression_id", as: "impression_id" }] } },
    { think: "1500ms" },
    { post: { url: "/v1/click", json: { impression_id: "{{ impression_id }}" } } },
  ]);
  expect(JSON.stringify(flow)).not.toContain("session_id");
  expect(script.config.variables.surface_0_2).toHaveLength(1);
  expect(script.config.http.timeout).toBe(3);
});

test("the phases are those of all traffic, repeats included, and stderr lists what is left out", async () => {
  const arrivals: Arrivals = { kind: "daily", mean: "100/h" };
  const atNoon: Step = { traffic: { for: "1h", arrivals, repeatedSessions: 0.1, publishers: [1] } };
  const steps: Step[] = [
    { impression: {}, expect: { status: 200 } },
    { repeat: { times: 2, every: "1m", steps: [steady, { impression: {} }] } },
    { advance: { to: "2026-01-20T12:00:00Z" } },
    atNoon,
  ];
  const file = scenarioOf(steps, {
    faults: [{ match: { operation: "click" }, verdict: { kind: "drop" } }],
    assumptions: { "errors.body": "flat" },
    thresholds: ["sent >= 10"],
    expectations: [{ audit: { balanced: true } }],
  });
  const out = join(temporaryFolder(), "script.json");
  const words = ["--to", "artillery", "--out", out, "--target", "https://ads.test/base/"];
  const { code, stdout, stderr } = await runAdsim(["export", file, ...words]);
  expect([code, stdout]).toEqual([0, ""]);
  const script: Script = JSON.parse(readFileSync(out, "utf8"));
  expect(script.config.target).toBe("https://ads.test/base");
  const counts = script.config.phases.map(({ arrivalCount = 0 }) => arrivalCount);
  expect(counts.slice(0, 2)).toEqual([600, 600]);
  expect(counts.slice(2).reduce((sum, count) => sum + count, 0)).toBe(115);
  const [first = 0, second = 0] = script.scenarios.map(({ weight }) => weight);
  expect(first / second).toBeCloseTo(1200 / 115, 1);
  expect(stderr).toContain(
    "adsim: the export leaves these parts out: faults, assumptions, thresholds, expectations, impression, every, advance and repeatedSessions\n",
  );
});

test("given publishers are used, and the service is asked for surfaces that aren't given", async () => {
  const steps: Step[] = [{ traffic: { ...steady.traffic, publishers: [1, 0] } }];
  const words =
    "--api-key k1 --publisher p1 --surface a --surface b --publisher p2 --api-key k2 --surface c";
  const { script, stderr } = await scriptOf(steps, words.split(" "));
  expect(script.config.variables).toEqual({ surface_0_1: ["c"], surface_0_0: ["a", "b"] });
  expect(JSON.stringify(script.scenarios)).toContain("Bearer k2");
  expect(stderr).toBe("adsim: run it with: npx artillery run FILE\n");

  const server = await startServer({ port: 0 });
  onTestFinished(() => server.close());
  const { id, apiKey, surfaces } = createSimulator().publishers.at(1);
  const own = ["--api-key", apiKey, "--publisher", id, "--target", server.url];
  const asked = (await scriptOf([steady], own)).script.config.variables.surface_0_0;
  expect([...(asked ?? [])].sort()).toEqual(surfaces.map((one) => one.id).sort());
  const wrong = ["--api-key", "k", "--publisher", "p", "--target", server.url];
  const refused = await runAdsim(["export", scenarioOf([steady]), "--to", "artillery", ...wrong]);
  expect([refused.code, refused.stdout]).toEqual([3, ""]);
  expect(refused.stderr).toMatch(/can't read the surfaces of publisher p .* status 401/);
});

const key = ["--api-key", "k", "--publisher", "p"];
const many: Step = { traffic: { for: "1h", arrivals: { kind: "burst", count: 21_000_000 } } };
const reads: Step = { traffic: { ...steady.traffic, mix: { stats: 1, payouts: 1 } } };

test.each<[string, Step, readonly string[]]>([
  ["GET requests alone need no surfaces", reads, key],
  ["a load may be larger than what adsim itself plays", many, ["--max-requests", "40000000"]],
])("%s", async (_, step, words) => {
  expect((await scriptOf([step], words)).script.config.phases).not.toEqual([]);
});

const acme: Step = { signUp: {}, as: "acme" };
const sentBy = (publisher: number | string): Step => ({
  traffic: { ...steady.traffic, publishers: [publisher] },
});
const noSuchFolder = join(import.meta.dirname, "no", "x.json");
test("a scenario isn't replaced by its export", async () => {
  const source = scenarioOf([steady]);
  const { code, stderr } = await runAdsim(["export", source, "--to", "k6", "--out", source]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("which is read")]);
});

test.each<[string | readonly Step[], readonly string[], number, RegExp]>([
  ["lost-ack", [], 2, /has no traffic step/],
  ["lost-akc", [], 2, /Did you mean/],
  [[acme, sentBy("acme")], [], 2, /Publisher acme sends traffic in mine, but isn't known/],
  [[sentBy(1)], key, 2, /Publisher 1 sends .* isn't known\. .* --publisher, give each of them/],
  [[steady], key, 2, /has no surfaces\. Give them with --surface ID, or .* --target URL/],
  [[many], [], 2, /the maximum is 20,000,000/],
  [[steady], ["--target", "x"], 2, /--target must be a URL/],
  [[steady], ["--to", "jmeter"], 2, /artillery, k6/],
  [[steady], ["--out", noSuchFolder], 3, /can't be written: there is no such/],
])("%j with %j is refused", async (scenario, words, exitCode, expected) => {
  const source = typeof scenario === "string" ? scenario : scenarioOf(scenario);
  const args = ["export", source, "--to", "artillery", ...words];
  const { code, stdout, stderr } = await runAdsim(args);
  expect([code, stdout]).toEqual([exitCode, ""]);
  expect(stderr).toMatch(expected);
});
