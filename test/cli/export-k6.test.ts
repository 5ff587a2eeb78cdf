/** `adsim export --to k6`: what the script sends when it runs, and whether its options have the form that k6 documents. */

import { execFile } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import type { Step } from "../../src/play/scenario/types.ts";
import type { Arrivals, Traffic } from "../../src/play/traffic/traffic.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { dueTimes } from "./exported-traffic.ts";
import { runAdsim } from "./run-adsim.ts";
import { type K6Script, type K6World, loadK6Script } from "./run-k6-script.ts";

async function exported(steps: readonly Step[], more: object = {}, words: readonly string[] = []) {
  const scenario = fileOf({ name: "mine", about: "Traffic.", steps, ...more });
  const file = join(temporaryFolder(), "load.js");
  const args = ["export", scenario, "--to", "k6", "--out", file, ...words];
  const { code, stdout, stderr } = await runAdsim(args);
  expect([code, stdout], stderr).toEqual([0, ""]);
  const load = (env?: Readonly<Record<string, string>>): K6Script => loadK6Script(file, env);
  return { file, stderr, load };
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
function sentBy(script: K6Script, count: number, everyMs = 100, name = "traffic"): Sent[] {
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
    sim.clock.advance(everyMs);
  }
  return sent;
}

function countOf(sent: readonly Sent[], operation: string): number {
  return sent.filter((one) => one.operation === operation).length;
}

test("requests belong to their publisher, come out by weight, and are answered with 200", async () => {
  const mix = { impression: 90, stats: 4, surfaces: 3, payouts: 3 };
  const clicks = { rate: 0.25, after: "2s" };
  const { load } = await exported([trafficStep({ mix, publishers: [0, 2, 5], clicks })]);
  const script = load();
  const sent = sentBy(script, 4000);
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
  expect([...script.samples.keys()].filter((name) => name.includes(":"))).toHaveLength(5);
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
    expect(Math.abs(countOf(sent, operation) / 40 - share), operation).toBeLessThan(4);
  }
  for (const { apiKey } of senders) {
    const own = sent.filter(({ key }) => key === apiKey);
    expect(own.length / sent.length).toBeCloseTo(1 / 3, 1);
  }
});

test("the script has the given publishers, whatever is in their names", async () => {
  const given = ["--api-key", "k'\"\\`$(1)", "--publisher", "p\u2028</script>", "--surface", "s"];
  const { load } = await exported([trafficStep()], {}, given);
  const [sent] = sentBy(load(), 1);
  expect(sent?.key).toBe("k'\"\\`$(1)");
  expect(sent?.parameters).toMatchObject({ publisher_id: "p\u2028</script>", surface: "s" });
});

test("sessions differ between steps and runs; a step may want none, or only some surfaces", async () => {
  const bare = trafficStep({ sessions: false, surfaces: 1, publishers: [1] }, "bare");
  const { load } = await exported([trafficStep({}, "a"), trafficStep({}, "b"), bare]);
  const sent = ["1", "2"].flatMap((RUN_ID) =>
    ["a", "b"].flatMap((name) => sentBy(load({ RUN_ID }), 100, 100, name)),
  );
  expect(new Set(sent.map(({ parameters }) => parameters.session_id)).size).toBe(4 * 100);
  const [surface] = createSimulator().publishers.at(1).surfaces;
  for (const { parameters } of sentBy(load(), 100, 100, "bare")) {
    expect(parameters.surface).toBe(surface?.id);
    expect(parameters).not.toHaveProperty("session_id");
  }
});

test("as many impressions are repeated as the scenario wants, with publisher, surface and ad", async () => {
  const mix = { impression: 1, stats: 1 };
  const { load } = await exported([
    trafficStep({ repeatedSessions: 0.3, mix, publishers: [0, 1] }),
  ]);
  const sent = sentBy(load(), 3000, 2000).filter(({ operation }) => operation === "impression");
  const bySession = Map.groupBy(sent, ({ parameters }) => parameters.session_id);
  expect(Math.abs(1 - bySession.size / sent.length - 0.3)).toBeLessThan(0.07);
  for (const [, same] of bySession) {
    expect(new Set(same.map((one) => JSON.stringify([one.key, one.parameters]))).size).toBe(1);
  }
});

test("impressions go to TARGET or --target, and are clicked if the answer has an id", async () => {
  const clicks = { rate: 1, after: "1500ms" };
  const target = ["--target", "https://ads.test/@world/"];
  const { load } = await exported([trafficStep({ clicks })], {}, target);
  const script = load();
  const heard = (answer: ReturnType<K6World["send"]>, by = script): readonly unknown[] => {
    const said: unknown[] = [];
    by.iterate({
      scenario: { name: "traffic", iterationInTest: 7 },
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
  for (const answer of [
    { status: 200, body: "<html>" },
    { status: 429, body },
    { status: 503, body },
    undefined,
  ]) {
    expect(heard(answer)).toEqual([`${at}/impression`]);
  }
  expect([script.samples.get("errors"), script.samples.get("refused")]).toEqual([
    [0, 0, 0, 0, 1, 1],
    [0, 0, 0, 1, 0, 0],
  ]);
  const elsewhere = load({ TARGET: "http://127.0.0.1:1/" });
  expect(heard(undefined, elsewhere)).toEqual(["http://127.0.0.1:1/v1/impression"]);
});

interface Executor {
  readonly executor: string;
  readonly timeUnit: string;
  readonly startRate: number;
  readonly stages: readonly { readonly duration: string; readonly target: number }[];
}

/** Milliseconds of a duration of k6. */
function msOf(duration: string): number {
  return Math.round(Number(/^([\d.]+)s$/.exec(duration)?.[1]) * 1000);
}

test.each<[Arrivals, string]>([
  [{ kind: "constant", rate: "3/s" }, "400ms"],
  [{ kind: "ramp", from: "0/s", to: "90/m" }, "37500ms"],
  [{ kind: "daily", mean: "100/h" }, "30h"],
  [{ kind: "burst", count: 7, every: "10s", within: "3s" }, "42s"],
])(
  "%j for %s has the form that k6 documents, and plans what the player sends",
  async (arrivals, duration) => {
    const traffic = { arrivals, for: duration };
    const { scenarios } = (await exported([trafficStep(traffic)])).load().options;
    const { executor, timeUnit, startRate, stages } = scenarios.traffic as unknown as Executor;
    expect(executor).toBe("ramping-arrival-rate");
    const due = dueTimes(traffic);
    let [endMs, planned, rate] = [0, 0, startRate];
    for (const { duration: lasting, target } of stages) {
      expect(Number.isInteger(target) && target >= 0).toBe(true);
      planned += (((rate + target) / 2) * msOf(lasting)) / msOf(timeUnit);
      endMs += msOf(lasting);
      rate = target;
      const sent = due.filter((ms) => ms < endMs).length;
      expect(Math.abs(planned - sent), `until ${endMs} ms`).toBeLessThanOrEqual(1);
    }
    // Else k6 would stop before it starts the last request.
    expect(stages.at(-1)).toEqual({ duration: "1s", target: 0 });
  },
);

test("steps follow each other, are named as in the scenario, and have users for what waits", async () => {
  const wave = trafficStep({ for: "90s", timeout: "5s" }, "wave");
  const slow = { timeout: "5s", clicks: { rate: 0.5, after: "20s" } };
  const huge = { arrivals: { kind: "constant", rate: "1000000/s" }, for: "2s" } as const;
  const { load } = await exported([
    { repeat: { times: 2, every: "1h", steps: [wave] } },
    trafficStep(slow, "wave_2"),
    trafficStep(huge),
  ]);
  const rows = Object.entries(load().options.scenarios).map(([name, one]) => [
    ...[name, one.startTime, one.preAllocatedVUs, one.maxVUs, one.gracefulStop],
  ]);
  expect(rows).toEqual([
    ["wave", "0s", 2, 50, "10s"],
    ["wave_2", "90s", 2, 50, "10s"],
    // A hundred users sleep until they click.
    ["wave_2_2", "180s", 103, 175, "30s"],
    ["traffic", "240s", 10_000, 10_000, "20s"],
  ]);
});

test("thresholds become those of k6, and those that it can't judge are named", async () => {
  const thresholds = [
    ...["p50 < 5ms", "p90 <= 1s", "p95 < 20ms", "p99 < 50ms", "p999 < 1m", "max < 2s"],
    ...["mean <= 7ms", "errors < 0.1%", "errors <= 3", "refused = 0", "refused < 12.5 %"],
    ...["dropped < 1%", "dropped = 0", "sent >= 600", "late = 0", "invariants = 0"],
  ];
  // 600 impressions and 60 clicks are planned.
  const clicked = trafficStep({ clicks: { rate: 0.1 } });
  const { load, stderr } = await exported([clicked], { thresholds });
  expect(load().options.thresholds).toEqual({
    http_req_duration: [
      ...["p(50)<5", "p(90)<=1000", "p(95)<20", "p(99)<50", "p(99.9)<60000", "max<2000"],
      "avg<=7",
    ],
    errors: ["rate<0.001", `rate<=${3 / 660}`],
    refused: ["rate==0", "rate<0.125"],
    dropped_iterations: ["count<6.6", "count==0"],
    http_reqs: ["count>=600"],
  });
  expect(stderr).toContain("thresholds: k6 can't judge late = 0 and invariants = 0\n");
  expect(stderr).not.toContain("dropped requests");
  const errors = await exported([clicked], { thresholds: ["errors = 0"] });
  expect(errors.stderr).toContain("dropped requests: k6 doesn't count them as errors");
});

test("the files are a module that Node can parse, and the publishers beside it", async () => {
  const { file, stderr } = await exported([trafficStep({ publishers: [3, 1, 3] })]);
  const module = join(temporaryFolder(), "load.mjs");
  copyFileSync(file, module);
  await promisify(execFile)(process.execPath, ["--check", module]);
  const data = JSON.parse(readFileSync(file.replace(/js$/, "data.json"), "utf8"));
  expect(data).toEqual(
    [3, 1].map((ordinal) => {
      const { id, apiKey, surfaces } = createSimulator().publishers.at(ordinal);
      return { id, apiKey, surfaces: surfaces.map((surface) => surface.id) };
    }),
  );
  expect(stderr).toBe(
    "adsim: the API keys work with: npx adsim serve --seed adsim --publishers 25 --profile typical\n" +
      `adsim: run it with: k6 run -e RUN_ID=1 ${file}\n`,
  );
});
