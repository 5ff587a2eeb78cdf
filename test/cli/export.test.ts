/** `adsim export`, and `--to artillery`: which parts of a scenario are in the script, and which the output says are left out. */

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { durationMs } from "../../src/base/duration.ts";
import { createSimulator } from "../../src/index.ts";
import type { Step } from "../../src/play/scenario/types.ts";
import type { Arrivals } from "../../src/play/traffic/traffic.ts";
import { startServer } from "../../src/server.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { dueTimes } from "./exported-traffic.ts";
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
    readonly variables: Readonly<Record<string, unknown>>;
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

/** Artillery takes numbers as seconds. */
function msOf(duration: number | string): number {
  return typeof duration === "number" ? duration * 1000 : durationMs(duration);
}

const steady = {
  traffic: { for: "1m", arrivals: { kind: "constant", rate: "10/s" } },
} satisfies Step;

type Rates = readonly (readonly [Arrivals, string])[];
const everyKind: Rates = [
  [{ kind: "constant", rate: "600/m" }, "1m"],
  [{ kind: "constant", rate: "133.5/s" }, "90s"],
  [{ kind: "constant", rate: "7/m" }, "10m"],
  [{ kind: "constant", rate: "3/s" }, "400ms"],
  [{ kind: "constant", rate: "1/d" }, "1m"],
  [{ kind: "poisson", rate: "20/m" }, "30m"],
  [{ kind: "ramp", from: "20/s", to: "0/s" }, "30s"],
  [{ kind: "ramp", from: "0/s", to: "90/m" }, "37500ms"],
  [{ kind: "daily", mean: "100/h" }, "30h"],
  [{ kind: "burst", count: 7, every: "10s", within: "3s" }, "42s"],
  [{ kind: "burst", count: 50, every: "50ms" }, "1s"],
  [{ kind: "trace", atMs: [10, 20, 3_000_000] }, "1h"],
];

describe("arrivals", () => {
  test.each(everyKind)(
    "of %j for %s: in each stretch as many as the player sends",
    async (arrivals, duration) => {
      const step: Step = { traffic: { arrivals, for: duration } };
      const due = dueTimes(step.traffic);
      const { script } = await scriptOf([step]);
      let atMs = 0;
      for (const phase of script.config.phases) {
        const endMs = atMs + msOf(phase.duration ?? phase.pause ?? "");
        const here = due.filter((ms) => ms >= atMs && ms < endMs).length;
        expect(phase.arrivalCount ?? 0, `${atMs} to ${endMs} ms`).toBe(here);
        atMs = endMs;
      }
      expect(atMs).toBe(Math.max(1000, durationMs(duration)));
      expect(script.config.phases.length).toBeLessThanOrEqual(200);
    },
  );

  test("in as few stretches of seconds as there can be, so that bursts stay bursts", async () => {
    const burst: Arrivals = { kind: "burst", count: 50, every: "20s", within: "2s" };
    const { script } = await scriptOf([{ traffic: { for: "30s", arrivals: burst } }]);
    expect(script.config.phases).toEqual([
      { name: "burst", duration: 2, arrivalCount: 50 },
      { name: "burst", pause: 18 },
      { name: "burst", duration: 2, arrivalCount: 50 },
      { name: "burst", pause: 8 },
    ]);
    expect((await scriptOf([steady])).script.config.phases).toHaveLength(1);
  });
});

describe("a script for Artillery", () => {
  test("sends impressions with keys, ids and surfaces of the scenario's publishers", async () => {
    const world = { seed: "zwei", publishers: 4 };
    const { script, stderr } = await scriptOf([steady], ["--seed", "zwei", "--publishers", "4"]);
    const { id, apiKey, surfaces } = createSimulator(world).publishers.at(0);
    expect(script.config).toMatchObject({
      ...{ target: "http://127.0.0.1:4010", http: { timeout: 10 } },
      variables: {
        ...{ publisher_id_0: id, api_key_0: apiKey },
        surface_0: surfaces.map((surface) => surface.id),
      },
    });
    const json = {
      ...{ publisher_id: "{{ publisher_id_0 }}", surface: "{{ surface_0 }}" },
      ad_id: "ad-{{ $randomNumber(1, 20) }}",
      session_id: "artillery-{{ $randomString(24) }}",
    };
    const headers = { authorization: "Bearer {{ api_key_0 }}" };
    const flow = [{ post: { url: "/v1/impression", headers, json } }];
    expect(script.scenarios).toEqual([{ name: "impression of publisher 0", weight: 10_000, flow }]);
    expect(stderr).toBe(
      "adsim: the API keys work with: npx adsim serve --seed zwei --publishers 4 --profile typical\n" +
        "adsim: run it with: npx artillery run FILE\n",
    );
  });

  test("weights users by the mix, and those who click by the click rate", async () => {
    const mixed = {
      ...{ mix: { impression: 8, payouts: 2 }, clicks: { rate: 0.25, after: "1500ms" } },
      ...{ publishers: [0, 2], surfaces: 1, sessions: false, timeout: "2500ms" },
    };
    const { script } = await scriptOf([{ traffic: { ...steady.traffic, ...mixed } }]);
    const seen = (ordinal: number) =>
      `impression of publisher ${ordinal} on 1 surfaces without session`;
    const weights = script.scenarios.map(({ name, weight }) => [name, weight]);
    expect(Object.fromEntries(weights)).toEqual({
      ...{ [seen(0)]: 3000, [`${seen(0)}, clicked after 1500 ms`]: 1000 },
      ...{ [seen(2)]: 3000, [`${seen(2)}, clicked after 1500 ms`]: 1000 },
      ...{ "payouts of publisher 0": 1000, "payouts of publisher 2": 1000 },
    });
    const flow = script.scenarios.find(({ name }) => name.includes("clicked"))?.flow;
    expect(flow).toMatchObject([
      { post: { capture: [{ json: "$.impression_id", as: "impression_id" }] } },
      { think: "1500ms" },
      { post: { url: "/v1/click", json: { impression_id: "{{ impression_id }}" } } },
    ]);
    expect(JSON.stringify(flow)).not.toContain("session_id");
    expect(script.config.variables.surface_2_of_1).toHaveLength(1);
    expect(script.config.http.timeout).toBe(3);
  });

  test("has the phases of all traffic, repeats included, and stderr lists what is left out", async () => {
    const arrivals: Arrivals = { kind: "daily", mean: "100/h" };
    const atNoon: Step = {
      traffic: { for: "1h", arrivals, repeatedSessions: 0.1, publishers: [1] },
    };
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
    const phases = Map.groupBy(script.config.phases, ({ name }) => name);
    const counts = Array.from(phases, ([name, own]) => [
      name,
      own.reduce((sum, { arrivalCount = 0 }) => sum + arrivalCount, 0),
    ]);
    expect(counts).toEqual([
      ["constant", 1200],
      ["daily", 115],
    ]);
    const [first = 0, second = 0] = script.scenarios.map(({ weight }) => weight);
    expect(first / second).toBeCloseTo(1200 / 115, 1);
    for (const said of [
      ...[/faults: .*--faults FILE/, /assumptions: .*--assume/, /expectations: /, /thresholds: /],
      ...[/impression: steps\.0, steps\.1\.repeat\.steps\.1\n/, /every: steps\.1\n/],
      ...[/advance: steps\.2\n/, /repeatedSessions: /, /send different requests/],
    ]) {
      expect(stderr).toMatch(said);
    }
  });

  test("has the given publishers for a foreign service", async () => {
    const steps: Step[] = [{ traffic: { ...steady.traffic, publishers: [1, 0] } }];
    const given =
      "--api-key k1 --publisher p1 --surface a --surface b --publisher p2 --api-key k2 --surface c";
    const { script, stderr } = await scriptOf(steps, given.split(" "));
    expect(script.config.variables).toEqual({
      ...{ publisher_id_1: "p2", api_key_1: "k2", surface_1: ["c"] },
      ...{ publisher_id_0: "p1", api_key_0: "k1", surface_0: ["a", "b"] },
    });
    expect(stderr).toBe("adsim: run it with: npx artillery run FILE\n");
  });
});

test("the service is asked for surfaces that aren't given, as in a play", async () => {
  const server = await startServer({ port: 0 });
  onTestFinished(() => server.close());
  const { id, apiKey, surfaces } = createSimulator().publishers.at(1);
  const given = ["--api-key", apiKey, "--publisher", id];
  const { script } = await scriptOf([steady], [...given, "--target", server.url]);
  const asked = script.config.variables.surface_0;
  expect([...(asked as string[])].sort()).toEqual(surfaces.map((one) => one.id).sort());
  const wrong = ["--api-key", "k", "--publisher", "p", "--target", server.url];
  const refused = await runAdsim(["export", scenarioOf([steady]), "--to", "artillery", ...wrong]);
  expect([refused.code, refused.stdout]).toEqual([3, ""]);
  expect(refused.stderr).toMatch(/can't read the surfaces of publisher p .* status 401/);
});

test.each(["artillery", "k6"])("GET requests alone need no surfaces: --to %s", async (tool) => {
  const out = join(temporaryFolder(), "load.js");
  const reads: Step = { traffic: { ...steady.traffic, mix: { stats: 1, payouts: 1 } } };
  const given = ["--api-key", "k", "--publisher", "p", "--out", out];
  const { code, stderr } = await runAdsim(["export", scenarioOf([reads]), "--to", tool, ...given]);
  expect(code, stderr).toBe(0);
  expect(readFileSync(out, "utf8")).not.toContain("surface_0");
});

test("a load from many machines may be larger than what adsim itself plays", async () => {
  const many: Step = { traffic: { for: "1h", arrivals: { kind: "burst", count: 21_000_000 } } };
  const args = ["export", scenarioOf([many]), "--to", "artillery"];
  expect((await runAdsim(args)).stderr).toMatch(/the maximum is 20,000,000/);
  expect((await runAdsim([...args, "--max-requests", "40000000"])).code).toBe(0);
});

test.each(["artillery", "k6"])(
  "--to %s never replaces the scenario, through a link either",
  async (tool) => {
    const file = scenarioOf([steady]);
    const before = readFileSync(file, "utf8");
    const link = join(temporaryFolder(), "load.js");
    symlinkSync(file, link);
    const { code, stderr } = await runAdsim(["export", file, "--to", tool, "--out", link]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`would replace ${file}, which`)]);
    expect(readFileSync(file, "utf8")).toBe(before);
  },
);

const acme: Step = { signUp: {}, as: "acme" };
const sentBy = (publisher: number | string): Step => ({
  traffic: { ...steady.traffic, publishers: [publisher] },
});
const key = ["--api-key", "k", "--publisher", "p"];
const noSuchFolder = join(import.meta.dirname, "no", "x.json");
test.each<[string | readonly Step[], readonly string[], number, RegExp]>([
  ["lost-ack", [], 2, /has no traffic step/],
  ["lost-akc", [], 2, /Did you mean/],
  [[acme, sentBy("acme")], [], 2, /sent by acme, which signs up/],
  [[sentBy(1)], key, 2, /sent by publisher 1 \(the first is 0\), but you gave only 1/],
  [[steady], key, 2, /has no surfaces\. Give them with --surface ID, or .* --target URL/],
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
