/** `adsim export --to k6`: what the script sends when it runs, and whether its options have the form that k6 documents. */

import { execFile } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import type { Step } from "../../src/play/scenario/types.ts";
import type { Arrivals, Traffic } from "../../src/play/traffic/traffic.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { dueTimes } from "./exported-traffic.ts";
import { runAdsim } from "./run-adsim.ts";
import { type K6Script, type K6World, loadK6Script } from "./run-k6-script.ts";

interface Exported {
  /** The script's file. */
  readonly file: string;
  readonly stderr: string;
  load(env?: Readonly<Record<string, string>>): K6Script;
}

async function exported(
  steps: readonly Step[],
  more: object = {},
  options: readonly string[] = [],
): Promise<Exported> {
  const scenario = fileOf({ name: "mine", about: "Traffic.", steps, ...more });
  const file = join(temporaryFolder(), "load.js");
  const args = ["export", scenario, "--to", "k6", "--out", file, ...options];
  const { code, stdout, stderr } = await runAdsim(args);
  expect([code, stdout], stderr).toEqual([0, ""]);
  return { file, stderr, load: (env) => loadK6Script(file, env) };
}

function trafficStep(traffic: Partial<Traffic> = {}, as?: string): Step {
  const steady = { for: "1m", arrivals: { kind: "constant", rate: "10/s" } } as const;
  return { traffic: { ...steady, ...traffic }, ...(as !== undefined && { as }) };
}

interface Sent {
  readonly request: ApiRequest;
  readonly operation: string;
  readonly status: number;
  readonly key: string;
  /** Parameters of the query or the body. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Run {
  readonly script: K6Script;
  /** The name of a k6 scenario. @default the first */
  readonly name?: string;
  readonly numbers: readonly number[];
  readonly sim: Simulator;
  /** Time between iterations. */
  readonly everyMs?: number;
}

/** Runs these iterations, one after the other, with the simulator as the service. */
function sentBy({ script, name, numbers, sim, everyMs = 100 }: Run): Sent[] {
  const sent: Sent[] = [];
  const scenario = name ?? Object.keys(script.options.scenarios)[0] ?? "";
  for (const iterationInTest of numbers) {
    script.iterate({
      scenario: { name: scenario, iterationInTest },
      sleep: (seconds) => sim.clock.advance(seconds * 1000),
      send(request, { tags }) {
        const response = sim.handle(request);
        const { body, query, headers } = request;
        const parameters =
          typeof body === "string"
            ? JSON.parse(body)
            : Object.fromEntries(new URLSearchParams(String(query)));
        const key = headers?.Authorization?.replace("Bearer ", "") ?? "";
        sent.push({
          request,
          operation: tags.name ?? "",
          status: response.status,
          key,
          parameters,
        });
        return response;
      },
    });
    sim.clock.advance(everyMs);
  }
  return sent;
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

const eventsOf = (sent: readonly Sent[]): string[] =>
  sent.map(({ operation, parameters }) => JSON.stringify([operation, parameters])).sort();

describe("requests", () => {
  const mixed = trafficStep({
    mix: { impression: 90, stats: 4, surfaces: 3, payouts: 3 },
    publishers: [0, 2, 5],
    clicks: { rate: 0.25, after: "2s" },
  });

  test("belong to their publisher, come out by weight, and are answered with 200", async () => {
    const { load } = await exported([mixed]);
    const [script, sim] = [load(), createSimulator()];
    const sent = sentBy({ script, numbers: upTo(4000), sim });
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
    const checks = [...script.samples].filter(([name]) => /: |has /.test(name));
    expect(checks.length).toBe(5 * 2 + 1);
    expect(checks.filter(([, values]) => values.includes(0))).toEqual([]);
    const senders = [0, 2, 5].map((at) => sim.publishers.at(at));
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
    const shares = { impression: 90, click: 22.5, stats: 4, surfaces: 3, payouts: 3 };
    for (const [operation, expected] of Object.entries(shares)) {
      const found = sent.filter((one) => one.operation === operation).length / 40;
      expect(Math.abs(found - expected), operation).toBeLessThan(3);
    }
    const perKey = Map.groupBy(sent, ({ key }) => key);
    for (const [, own] of perKey) expect(own.length / sent.length).toBeCloseTo(1 / 3, 1);
  });

  test("of four k6 that share the test are those of one", async () => {
    const { load } = await exported([mixed]);
    const one = sentBy({ script: load(), numbers: upTo(1000), sim: createSimulator() });
    const four = [0, 1, 2, 3].flatMap((segment) => {
      const numbers = upTo(250).map((number) => number * 4 + segment);
      return sentBy({ script: load(), numbers, sim: createSimulator(), everyMs: 400 });
    });
    const impressions = (sent: readonly Sent[]): string[] =>
      eventsOf(sent.filter(({ operation }) => operation !== "click"));
    expect(impressions(four)).toEqual(impressions(one));
    const clicks = (sent: readonly Sent[]): number =>
      sent.filter(({ operation }) => operation === "click").length;
    expect(clicks(four)).toBe(clicks(one));
  });

  test("have sessions of their own, in every traffic step and in every run", async () => {
    const { load } = await exported([trafficStep({}, "a"), trafficStep({}, "b")]);
    const sent = ["1", "2"].flatMap((RUN_ID) =>
      ["a", "b"].flatMap((name) =>
        sentBy({ script: load({ RUN_ID }), name, numbers: upTo(300), sim: createSimulator() }),
      ),
    );
    expect(new Set(sent.map(({ parameters }) => parameters.session_id)).size).toBe(4 * 300);
  });

  test("have no session if the scenario wants none, and use only its first surfaces", async () => {
    const { load } = await exported([
      trafficStep({ sessions: false, surfaces: 1, publishers: [1] }),
    ]);
    const sim = createSimulator();
    const sent = sentBy({ script: load(), numbers: upTo(100), sim });
    expect(sent.filter(({ parameters }) => "session_id" in parameters)).toEqual([]);
    const used = new Set(sent.map(({ parameters }) => parameters.surface));
    expect(used).toEqual(new Set([sim.publishers.at(1).surfaces[0]?.id]));
  });

  test("repeat as many sessions as the scenario wants, with their publisher, surface and ad", async () => {
    const repeated = {
      repeatedSessions: 0.3,
      mix: { impression: 1, stats: 1 },
      publishers: [0, 1],
    };
    const { load, stderr } = await exported([trafficStep(repeated)]);
    const script = load();
    const sim = createSimulator();
    const sent = sentBy({ script, numbers: upTo(3000), sim, everyMs: 2000 });
    const impressions = sent.filter(({ operation }) => operation === "impression");
    const bySession = Map.groupBy(impressions, ({ parameters }) => parameters.session_id);
    const again = impressions.length - bySession.size;
    expect(again / impressions.length).toBeCloseTo(0.3, 1);
    for (const [, same] of bySession) expect(new Set(eventsOf(same)).size).toBe(1);
    expect(stderr).not.toContain("repeatedSessions");
  });

  test("go to TARGET if it is set, and otherwise to --target with its path", async () => {
    const { load } = await exported([trafficStep()], {}, ["--target", "https://ads.test/@world/"]);
    const to = (env: Readonly<Record<string, string>>): string => {
      let url = "";
      load(env).iterate({
        scenario: { name: "traffic", iterationInTest: 0 },
        sleep: () => undefined,
        send(request, _, origin) {
          url = `${origin}${request.path}`;
          return undefined;
        },
      });
      return url;
    };
    expect(to({})).toBe("https://ads.test/@world/v1/impression");
    expect(to({ TARGET: "http://127.0.0.1:1/" })).toBe("http://127.0.0.1:1/v1/impression");
  });

  test("are clicked after the pause, but only if the answer has an id", async () => {
    const { load } = await exported([trafficStep({ clicks: { rate: 1, after: "1500ms" } })]);
    const heard = (answer: ReturnType<K6World["send"]>): readonly unknown[] => {
      const said: unknown[] = [];
      load().iterate({
        scenario: { name: "traffic", iterationInTest: 7 },
        sleep: (seconds) => said.push(seconds),
        send(request) {
          said.push(request.path);
          return answer;
        },
      });
      return said;
    };
    const status = { headers: {}, delivery: undefined } as const;
    const body = '{"impression_id":"x"}';
    expect(heard({ ...status, status: 200, body })).toEqual(["/v1/impression", 1.5, "/v1/click"]);
    expect(heard({ ...status, status: 429, body })).toEqual(["/v1/impression"]);
    expect(heard({ ...status, status: 200, body: "<html>" })).toEqual(["/v1/impression"]);
    expect(heard(undefined)).toEqual(["/v1/impression"]);
  });

  test("count as errors without an answer and from 500, and as refused from 400 to 499", async () => {
    const { load } = await exported([trafficStep()]);
    const script = load();
    for (const status of [200, 400, 429, 500, 503, 0]) {
      script.iterate({
        scenario: { name: "traffic", iterationInTest: 0 },
        sleep: () => undefined,
        send: () => (status === 0 ? undefined : { status, headers: {}, body: "{}" }),
      });
    }
    expect(Object.fromEntries(script.samples)).toMatchObject({
      errors: [0, 0, 0, 1, 1, 1],
      error_count: [1, 1, 1],
      refused: [0, 1, 1, 0, 0, 0],
      refused_count: [1, 1],
    });
  });
});

/** Milliseconds of a duration of k6. */
function msOf(duration: string): number {
  return Math.round(Number(/^([\d.]+)s$/.exec(duration)?.[1]) * 1000);
}

describe("executors", () => {
  const patterns: [Arrivals, string][] = [
    [{ kind: "constant", rate: "133.5/s" }, "90s"],
    [{ kind: "constant", rate: "3/s" }, "400ms"],
    [{ kind: "ramp", from: "0/s", to: "90/m" }, "37500ms"],
    [{ kind: "daily", mean: "100/h" }, "30h"],
    [{ kind: "burst", count: 7, every: "10s", within: "3s" }, "42s"],
    [{ kind: "trace", atMs: [10, 20, 3_000_000] }, "1h"],
  ];
  test.each(patterns)(
    "of %j for %s have the form that k6 documents, and plan as many requests as the player",
    async (arrivals, duration) => {
      const traffic = { arrivals, for: duration };
      const { scenarios } = (await exported([trafficStep(traffic)])).load().options;
      const { executor, timeUnit, startRate, stages = [], ...users } = scenarios.traffic ?? {};
      expect(executor).toBe("ramping-arrival-rate");
      expect(Object.keys(users).sort()).toEqual(
        ["gracefulStop", "maxVUs", "preAllocatedVUs", "startTime"].sort(),
      );
      const due = dueTimes(traffic);
      let [endMs, planned, rate] = [0, 0, startRate ?? Number.NaN];
      for (const { duration: lasting, target } of stages) {
        expect(Number.isInteger(target) && target >= 0).toBe(true);
        planned += (((rate + target) / 2) * msOf(lasting)) / msOf(timeUnit ?? "");
        endMs += msOf(lasting);
        rate = target;
        const sent = due.filter((ms) => ms < endMs).length;
        expect(Math.abs(planned - sent), `until ${endMs} ms`).toBeLessThanOrEqual(1);
      }
      // Else k6 would stop before it starts the last request.
      expect(stages.at(-1)).toEqual({ duration: "1s", target: 0 });
    },
  );

  test("follow each other, and are named like the steps", async () => {
    const { load } = await exported([
      { repeat: { times: 2, every: "1h", steps: [trafficStep({ for: "90s" }, "wave")] } },
      trafficStep({}, "wave_2"),
      trafficStep({ for: "5s" }),
      trafficStep(),
    ]);
    const { scenarios } = load().options;
    const starts = Object.entries(scenarios).map(([name, { startTime }]) => [name, startTime]);
    expect(starts).toEqual([
      ["wave", "0s"],
      ["wave_2", "90s"],
      ["wave_2_2", "180s"],
      ["traffic", "240s"],
      ["traffic_2", "245s"],
    ]);
  });

  test("have a virtual user for each request that waits for its answer or to click", async () => {
    const usersOf = async (traffic: Partial<Traffic>): Promise<readonly unknown[]> => {
      const { scenarios } = (await exported([trafficStep(traffic)])).load().options;
      const { preAllocatedVUs, maxVUs, gracefulStop } = scenarios.traffic ?? {};
      return [preAllocatedVUs, maxVUs, gracefulStop];
    };
    expect(await usersOf({ timeout: "5s" })).toEqual([2, 50, "5s"]);
    // A hundred users sleep until they click.
    const clicks = { rate: 0.5, after: "20s" };
    expect(await usersOf({ timeout: "5s", clicks })).toEqual([103, 175, "30s"]);
    const huge: Arrivals = { kind: "constant", rate: "1000000/s" };
    expect(await usersOf({ arrivals: huge, for: "2s" })).toEqual([10_000, 10_000, "10s"]);
  });
});

describe("thresholds", () => {
  test("become those of k6, on metrics that exist and with what these can be asked", async () => {
    const thresholds = [
      ...["p50 < 5ms", "p90 <= 1s", "p95 < 20ms", "p99 < 50ms", "p999 < 1m", "max < 2s"],
      ...["mean <= 7ms", "errors < 0.1%", "errors <= 3", "refused = 0", "refused < 12.5 %"],
      ...["dropped < 1%", "dropped <= 0.1%", "dropped = 0", "sent >= 600", "late = 0"],
      "invariants = 0",
    ];
    // 600 impressions and 60 clicks are planned.
    const { load, stderr } = await exported([trafficStep({ clicks: { rate: 0.1 } })], {
      thresholds,
    });
    const { options, metrics } = load();
    expect(options.thresholds).toEqual({
      http_req_duration: [
        ...["p(50)<5", "p(90)<=1000", "p(95)<20", "p(99)<50", "p(99.9)<60000", "max<2000"],
        "avg<=7",
      ],
      errors: ["rate<0.001"],
      error_count: ["count<=3"],
      refused: ["rate<0.125"],
      refused_count: ["count==0"],
      dropped_iterations: ["count<7", "count<=0", "count==0"],
      http_reqs: ["count>=600"],
    });
    expect([...metrics]).toEqual([
      ["errors", "Rate"],
      ["error_count", "Counter"],
      ["refused", "Rate"],
      ["refused_count", "Counter"],
    ]);
    expect(stderr).toContain("thresholds: k6 can't judge late = 0 and invariants = 0\n");
    expect(stderr).not.toContain("dropped requests");
  });

  test("say that dropped requests aren't errors in k6, if none is about them", async () => {
    const { stderr } = await exported([trafficStep()], { thresholds: ["errors = 0"] });
    expect(stderr).toContain("k6 doesn't count dropped requests as errors");
  });
});

describe("the files", () => {
  test("are a module that Node can parse, and the publishers beside it", async () => {
    const { file, stderr } = await exported([trafficStep({ publishers: [3, 1, 3] })]);
    const module = join(temporaryFolder(), "load.mjs");
    copyFileSync(file, module);
    await promisify(execFile)(process.execPath, ["--check", module]);
    const data = JSON.parse(readFileSync(file.replace(/js$/, "data.json"), "utf8"));
    const { publishers } = createSimulator();
    expect(data).toEqual(
      [3, 1].map((ordinal) => {
        const { id, apiKey, surfaces } = publishers.at(ordinal);
        return { id, apiKey, surfaces: surfaces.map((surface) => surface.id) };
      }),
    );
    expect(stderr).toBe(
      "adsim: the API keys work with: npx adsim serve --seed adsim --publishers 25 --profile typical\n" +
        `adsim: run it with: k6 run -e RUN_ID=1 ${file}\n`,
    );
  });

  test("have the given publishers, whatever is in their names", async () => {
    const given = ["--api-key", "k'\"\\`$(1)", "--publisher", "p\u2028</script>", "--surface", "s"];
    const { load } = await exported([trafficStep()], {}, given);
    const sim = createSimulator();
    const [sent] = sentBy({ script: load(), numbers: [0], sim });
    expect(sent?.key).toBe("k'\"\\`$(1)");
    expect(sent?.parameters).toMatchObject({ publisher_id: "p\u2028</script>", surface: "s" });
  });

  test("need a name that ends in .js", async () => {
    const scenario = fileOf({ name: "mine", about: "Traffic.", steps: [trafficStep()] });
    for (const words of [[], ["--out", "load.json"]]) {
      const { code, stdout, stderr } = await runAdsim(["export", scenario, "--to", "k6", ...words]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/writes two files.* Name the script with --out FILE\.js/);
    }
  });
});
