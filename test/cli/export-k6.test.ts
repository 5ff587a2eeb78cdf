/** `adsim export --to k6`: what the script sends when it runs, and whether its options have the form that k6 documents. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import type { Step } from "../../src/play/scenario/types.ts";
import type { Traffic } from "../../src/play/traffic/traffic.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { fileOf } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";
import { type K6Script, type K6World, loadK6Script } from "./run-k6-script.ts";

async function exported(steps: readonly Step[], words: readonly string[] = []) {
  const scenario = fileOf({ name: "mine", about: "Traffic.", steps });
  const { code, stdout, stderr } = await runAdsim(["export", scenario, "--to", "k6", ...words]);
  expect(code, stderr).toBe(0);
  const load = (env?: Readonly<Record<string, string>>): K6Script => loadK6Script(stdout, env);
  return { stdout, stderr, load };
}

function trafficStep(traffic: Partial<Traffic> = {}, as?: string): Step {
  const steady = { for: "1m", arrivals: { kind: "constant", rate: "10/s" } } as const;
  return { traffic: { ...steady, ...traffic }, ...(as !== undefined && { as }) };
}

interface Sent {
  readonly operation: string;
  readonly status: number;
  readonly key: string;
  /** Parameters of the query or the body. */
  readonly parameters: Readonly<Record<string, string>>;
}

function parametersOf({ body, query }: ApiRequest): Sent["parameters"] {
  if (typeof body === "string") return JSON.parse(body);
  return Object.fromEntries(new URLSearchParams(String(query)));
}

/** Runs so many iterations, one after the other, with a simulator as the service. */
function sentBy(script: K6Script, count: number, name = "traffic_0"): Sent[] {
  const sim = createSimulator();
  const sent: Sent[] = [];
  for (let iterationInTest = 0; iterationInTest < count; iterationInTest += 1) {
    script.iterate({
      scenario: { name, iterationInTest },
      sleep: (seconds) => sim.clock.advance(seconds * 1000),
      send(request, operation) {
        const response = sim.handle(request);
        const key = request.headers?.Authorization?.replace("Bearer ", "") ?? "";
        sent.push({ operation, status: response.status, key, parameters: parametersOf(request) });
        return response;
      },
    });
    sim.clock.advance(100);
  }
  return sent;
}

test("requests belong to their publisher, come out by weight, and are answered with 200", async () => {
  const mix = { impression: 90, stats: 4, surfaces: 3, payouts: 3 };
  const clicks = { rate: 0.25, after: "2s" };
  const { load } = await exported([trafficStep({ mix, publishers: [0, 2, 5], clicks })]);
  const sent = sentBy(load(), 4000);
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
  const senders = [0, 2, 5].map((at) => createSimulator().publishers.at(at));
  const byKey = new Map(senders.map((one) => [one.apiKey, one]));
  for (const { key, operation, parameters } of sent) {
    if (operation !== "click") expect(parameters.publisher_id).toBe(byKey.get(key)?.id);
    if (operation !== "impression") continue;
    expect(byKey.get(key)?.surfaces.map(({ id }) => id)).toContain(parameters.surface);
  }
  const differing = (name: string): number =>
    new Set(sent.flatMap(({ parameters }) => parameters[name] ?? [])).size;
  expect(differing("surface")).toBe(senders.flatMap(({ surfaces }) => surfaces).length);
  expect(differing("ad_id")).toBe(20);
  for (const [operation, share] of Object.entries({ ...mix, click: 22.5 })) {
    const count = sent.filter((one) => one.operation === operation).length;
    expect(Math.abs(count / 40 - share), operation).toBeLessThan(4);
  }
  for (const { apiKey } of senders) {
    const own = sent.filter(({ key }) => key === apiKey);
    expect(own.length / sent.length).toBeCloseTo(1 / 3, 1);
  }
});

test("sessions differ between steps and runs; a step may want none, or only some surfaces", async () => {
  const bare = trafficStep({ sessions: false, surfaces: 1, publishers: [1] }, "bare");
  const { load } = await exported([trafficStep({}, "a"), trafficStep(), bare]);
  const sent = ["1", "2"].flatMap((RUN_ID) =>
    ["a_0", "traffic_1"].flatMap((name) => sentBy(load({ RUN_ID }), 100, name)),
  );
  expect(new Set(sent.map(({ parameters }) => parameters.session_id)).size).toBe(4 * 100);
  const [surface] = createSimulator().publishers.at(1).surfaces;
  for (const { parameters } of sentBy(load(), 100, "bare_2")) {
    expect(parameters.surface).toBe(surface?.id);
    expect(parameters).not.toHaveProperty("session_id");
  }
});

test("impressions go to TARGET or --target, and are clicked if the answer has an id", async () => {
  const clicks = { rate: 1, after: "1500ms" };
  const target = ["--target", "https://ads.test/@world/"];
  const { load } = await exported([trafficStep({ clicks })], target);
  const heard = (answer: ReturnType<K6World["send"]>, by = load()): readonly unknown[] => {
    const said: unknown[] = [];
    by.iterate({
      scenario: { name: "traffic_0", iterationInTest: 7 },
      sleep: (seconds) => said.push(seconds),
      send({ path }, _, origin) {
        said.push(`${origin}${path}`);
        return answer;
      },
    });
    return said;
  };
  const at = "https://ads.test/@world/v1";
  const body = '{"impression_id":"x"}';
  expect(heard({ status: 200, body })).toEqual([`${at}/impression`, 1.5, `${at}/click`]);
  for (const answer of [{ status: 200, body: "<html>" }, { status: 429, body }, undefined]) {
    expect(heard(answer)).toEqual([`${at}/impression`]);
  }
  const elsewhere = load({ TARGET: "http://127.0.0.1:1/" });
  expect(heard(undefined, elsewhere)).toEqual(["http://127.0.0.1:1/v1/impression"]);
});

test("steps follow each other, with a stage for each stretch, and users for what waits", async () => {
  const burst = { kind: "burst", count: 7, every: "10s", within: "1s" } as const;
  const slow = { for: "90s", timeout: "5s", clicks: { rate: 0.5, after: "20s" } };
  const huge = { arrivals: { kind: "constant", rate: "1000000/s" }, for: "2s" } as const;
  const waves = trafficStep({ arrivals: burst, for: "12500ms" }, "wave");
  const steps = [{ repeat: { times: 2, steps: [waves] } }, trafficStep(slow), trafficStep(huge)];
  const { scenarios } = (await exported(steps)).load().options;
  expect(scenarios.wave_0).toEqual({
    executor: "ramping-arrival-rate",
    timeUnit: "1s",
    startTime: "0s",
    stages: [
      ...[7, 0, 7, 0].flatMap((target, place) => [
        { duration: "0s", target },
        { duration: ["1s", "9s", "1s", "2s"][place], target },
      ]),
      { duration: "0s", target: 0 },
      // Else k6 would stop before it starts the last request.
      { duration: "1s", target: 0 },
    ],
    ...{ preAllocatedVUs: 2, maxVUs: 10_000, gracefulStop: "20s" },
  });
  const rows = Object.entries(scenarios).map(([name, one]) => [
    ...[name, one.startTime, one.preAllocatedVUs, one.gracefulStop],
  ]);
  expect(rows.slice(1)).toEqual([
    ["wave_1", "13s", 2, "20s"],
    // A hundred users sleep until they click.
    ["traffic_2", "26s", 102, "30s"],
    ["traffic_3", "116s", 10_000, "20s"],
  ]);
});

test("the script is a module that Node can parse, whatever is in the names of publishers", async () => {
  const given = ["--api-key", "k'\"\\`$(1)", "--publisher", "</script>", "--surface", "s"];
  const { stdout, stderr, load } = await exported([trafficStep()], given);
  const module = fileOf(stdout, "load.mjs");
  await promisify(execFile)(process.execPath, ["--check", module]);
  const [sent] = sentBy(load(), 1);
  expect(sent?.key).toBe("k'\"\\`$(1)");
  expect(sent?.parameters).toMatchObject({ publisher_id: "</script>", surface: "s" });
  expect(stderr).toBe("adsim: run it with: k6 run -e RUN_ID=1 FILE\n");
});
