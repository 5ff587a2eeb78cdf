/** Which clients have which findings about time: Retry-After, refused keys, hot loops, back-off. Which have none. */

import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../src/faults/rule.ts";
import type { FindingId } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import {
  answer,
  drop,
  from2,
  lose,
  on,
  type ReportWorld,
  randomOf,
  reportWorldOf,
} from "./report-world.ts";

type Found = Partial<Record<FindingId, readonly number[]>>;

const early = "before-retry-after";
const loop = "hot-loop";
const fixed = "pauses-do-not-grow";
const badKey = "continues-after-401";
const outage = on(answer(503));
const date = "Thu, 15 Jan 2026 00:00:30 GMT";

/** Uses up the reporting limit, one request a millisecond; the last one is refused. */
function exhaust({ repeat, stats }: ReportWorld): void {
  repeat(61, 1, () => stats());
}

describe("Retry-After", () => {
  test("of the limiter: each early request is found, with the refusal that it ignored", () => {
    const stage = reportWorldOf();
    exhaust(stage);
    for (const pause of [299, 5000, 70_000]) {
      stage.wait(pause);
      stage.stats({ from: "2026-01-01" });
    }
    const { example, proof, who, count, spec, sequences } = stage.finding(early);
    expect(sequences).toEqual([62, 63]);
    expect(example).toBe(
      "#61 2026-01-15T00:00:00.060Z GET /v1/publisher/stats → 429, wait 60 s; #62 came 0.3 s later",
    );
    expect(proof.map(({ sequence }) => sequence)).toEqual([62, 63]);
    expect(proof[0]?.request.headers.authorization).toBe("(redacted)");
    expect([who, count]).toEqual([[{ publisher: stage.publisher.id, count: 2 }], 2]);
    expect(spec).toBe("§8, and RFC 9110 §10.2.3");
  });

  test("of the limiter holds for all that it refuses, with any status and as a date", () => {
    const assumptions = { "limit.exceeded": "403", "limit.retry-after": "http-date" } as const;
    const stage = reportWorldOf({ assumptions });
    exhaust(stage);
    stage.wait(1000);
    const query = { publisher_id: stage.publisher.id };
    stage.send({ method: "GET", path: "/v1/publisher/payouts", query });
    expect(stage.finding(early).sequences).toEqual([62]);
    expect(stage.finding(early).example).toContain("until Thu, 15 Jan 2026 00:01:00 GMT; #62 came");
  });

  test.each<[what: string, faults: readonly FaultRule[], script: string, found: Found]>([
    ["the same event, early", [on(answer(503, "30"), 1)], "a 29s a", { [early]: [2] }],
    ["a date, early", [on(answer(503, date), 1)], "a 29s a", { [early]: [2] }],
    ["in time", [on(answer(503, "30"), 1)], "a 30s a", {}],
    ["another event, early", [on(answer(503, "30"), 1)], "a 5s b 29s a", { [early]: [2] }],
    ["early until one is answered", [on(answer(429, "9"), 1)], "a 1s b 1s c", { [early]: [2] }],
    ["nonsense", [on(answer(503, "soon"), 1)], "a 1s a", {}],
    [
      "an answer that took 2 s, when others were under way",
      [on({ ...answer(429, "5"), delay: "2s" } as FaultRule["verdict"], 1)],
      "a 1s b 5s a",
      { [early]: [3] },
    ],
  ])("of a rule: %s", (_, faults, script, found) => {
    const stage = reportWorldOf({ faults });
    stage.show(script);
    expect(stage.found()).toEqual(found);
  });

  test("counts for an event that is sent again at once, while others are in progress", () => {
    const stage = reportWorldOf({ faults: [on(answer(503, "5"), 1)] });
    for (const session of ["a", "b", "a"]) stage.impression(session);
    expect(stage.found()).toEqual({ [early]: [3] });
  });

  test("counts for a client that goes on at full speed, but not in the first quarter of a second", () => {
    const stage = reportWorldOf({ faults: [on(answer(429, "9"))] });
    stage.repeat(300, 10, (time) => stage.impression(`s${time}`));
    expect(stage.finding(early).sequences[0]).toBe(27);
    expect(stage.finding(early).count).toBe(274);
  });

  test("isn't meant for requests in progress, other operations and publishers", () => {
    const stage = reportWorldOf();
    stage.repeat(200, 1, (time) => stage.stats({ from: `2026-01-0${(time % 9) + 1}` }));
    stage.impression("a");
    stage.wait(60_000);
    stage.stats();
    expect(stage.found()).toEqual({});
    const ruled = reportWorldOf({ faults: [on(answer(503, "30"), 1)] });
    ruled.stats();
    ruled.wait(2000);
    ruled.impression("a");
    ruled.impression("b", "ad", ruled.sim.publishers.at(1));
    expect(ruled.found()).toEqual({});
  });
});

describe("a refused key", () => {
  const bad = { authorization: "Bearer nobody" };
  const ask = ({ send }: ReportWorld, what: string): unknown =>
    send({ method: "GET", path: `/v1/publisher/${what}`, headers: bad });

  test.each(["401", "403"] as const)("that goes on is found: %s", (choice) => {
    const stage = reportWorldOf({ assumptions: { "auth.failure": choice } });
    for (const what of ["stats", "surfaces", "stats"]) {
      ask(stage, what);
      stage.wait(500);
    }
    const { sequences, who, example } = stage.finding(badKey);
    expect([sequences, who]).toEqual([[2, 3], [{ publisher: undefined, count: 2 }]]);
    expect(example).toBe(
      `#1 2026-01-15T00:00:00.000Z GET /v1/publisher/stats → ${choice}, #2 came 0.5 s later with the same key`,
    );
    expect(JSON.stringify(stage.sim.report())).not.toContain("nobody");
  });

  test("is one that was replaced, or that a rule refuses, until it is accepted again", () => {
    const stage = reportWorldOf();
    stage.stats();
    stage.sim.publishers.rotateKey(stage.publisher.id);
    stage.repeat(2, 1000, () => stage.stats());
    expect(stage.found()).toEqual({ [badKey]: [3] });
    const ruled = reportWorldOf({ faults: [on(answer(401), 1)] });
    ruled.repeat(3, 0, () => ruled.impression("a"));
    expect(ruled.found()).toEqual({ [badKey]: [2] });
  });

  test("isn't found in a burst, with another key or reason, or if the answer never came", () => {
    const burst = reportWorldOf();
    for (const what of ["stats", "surfaces", "payouts"]) {
      ask(burst, what);
      burst.wait(40);
    }
    const other = reportWorldOf();
    ask(other, "stats");
    other.wait(1000);
    other.repeat(2, 1000, () => other.stats({ publisher_id: other.sim.publishers.at(1).id }));
    const unheard = reportWorldOf({ faults: [on(lose)] });
    unheard.repeat(2, 1000, () => ask(unheard, "stats"));
    expect([burst, other, unheard].map((stage) => stage.found())).toEqual([{}, {}, {}]);
  });
});

describe("requests without a pause over one connection", () => {
  const sentOver = (
    connections: readonly number[],
    clock: "flowing" | "frozen",
    agent = "node",
  ): ReportWorld => {
    const rule = on(clock === "frozen" ? answer(401) : answer(429, "30"));
    const stage = reportWorldOf({ clock, faults: [rule] });
    const { id, apiKey } = stage.publisher;
    for (const connection of connections) {
      const query = { publisher_id: id };
      const headers = { authorization: `Bearer ${apiKey}`, "user-agent": agent };
      stage.send({ method: "GET", path: "/v1/publisher/stats", query, headers, connection });
      stage.wait(1);
    }
    return stage;
  };

  test.each<[what: string, connections: readonly number[], early: readonly number[]]>([
    ["one", [7, 7, 7], [2, 3]],
    ["two, as by Node's fetch", [1, 2, 1, 2, 1], [4, 5]],
    ["three", [1, 2, 1, 3, 1, 2], []],
    ["six, of which one is the fastest", [1, 2, 3, 4, 5, 6, 1, 1, 1], []],
  ])("came after the answer, or may have waited in the client: %s", (_, connections, sequences) => {
    const found = (id: FindingId): Found => (sequences.length === 0 ? {} : { [id]: sequences });
    expect(sentOver(connections, "flowing").found()).toEqual(found(early));
    expect(sentOver(connections.slice(0, 7), "frozen").found()).toEqual(found(badKey));
  });

  test("may have waited in a browser", () => {
    expect(sentOver([1, 1, 1], "flowing", "Mozilla/5.0 (X11)").found()).toEqual({});
  });

  test("are found over HTTP", async () => {
    const server = await startServer({ clock: "flowing", port: 0 });
    try {
      const { id, apiKey } = server.worlds.get("default").publishers.at(0);
      const url = `${server.url}/v1/publisher/stats?publisher_id=${id}`;
      for (let count = 0; count < 65; count += 1) {
        const got = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
        await got.text();
      }
      const { findings } = server.worlds.get("default").report();
      expect(findings).toMatchObject([{ id: early, sequences: [64, 65] }]);
    } finally {
      await server.close();
    }
  });
});

describe("a hot loop", () => {
  const ways: Readonly<Record<string, (stage: ReportWorld) => unknown>> = {
    "an event": (stage) => stage.impression("a"),
    "a query": (stage) => stage.stats(),
    "a click": (stage) => stage.click("imp_nothing"),
    "no session": (stage) => stage.impression(undefined),
  };

  type Row = [way: string, verdict: FaultRule["verdict"] | undefined, count: number, is: boolean];
  test.each<Row>([
    ...[408, 429, 500, 503].map((status): Row => ["an event", answer(status), 6, true]),
    ...[400, 401, 403, 404, 409].map((status): Row => ["a query", answer(status), 50, true]),
    ["a query", answer(503), 50, true],
    ["a click", { kind: "garbage" }, 6, true],
    ["an event", answer(503), 5, false],
    ["a query", answer(503), 49, false],
    ["no session", answer(503), 100, false],
    ["an event", { kind: "timeout" }, 40, false],
    ["an event", answer(503, "0"), 40, false],
    ["an event", undefined, 40, false],
    ["a query", undefined, 60, false],
  ])("%s, %j, %i times, 3 ms apart: %s", (way, verdict, count, isFound) => {
    const stage = reportWorldOf({ faults: verdict === undefined ? [] : [on(verdict)] });
    stage.repeat(count, 3, () => ways[way]?.(stage));
    expect(stage.found()[loop]).toEqual(isFound ? from2(count) : undefined);
    expect(stage.found()).not.toHaveProperty(fixed);
  });

  test("says how often, and within which time", () => {
    const stage = reportWorldOf({ faults: [outage] });
    stage.repeat(7, 3, () => stage.impression("a"));
    expect(stage.finding(loop).example).toMatch(/ → 503, sent 6 more times within 18 ms$/);
  });
});

/** So many events one after the other, each sent again after pauses that are drawn. */
function retrying(events: number, pausesOf: (random: () => number) => number[]): ReportWorld {
  const stage = reportWorldOf({ faults: [outage] });
  const random = randomOf("jitter");
  stage.repeat(events, 90_000, (event) =>
    stage.retry(pausesOf(random).map(Math.ceil), `event-${event}`),
  );
  return stage;
}

const each = (count: number, pauseMs: (number: number) => number): number[] =>
  Array.from({ length: count }, (_, number) => pauseMs(number));

describe("pauses that don't grow", () => {
  test.each<[what: string, pauses: readonly number[]]>([
    ["equal ones", [1000, 1000, 1000]],
    ["four of a busy machine", [250, 258, 251, 262]],
    ["many with some randomness", [1000, 1200, 950, 1100, 900, 1150, 1000, 1080]],
  ])("are found: %s", (_, pauses) => {
    const stage = reportWorldOf({ faults: [outage] });
    stage.retry(pauses);
    expect(stage.found()).toEqual({ [fixed]: from2(pauses.length + 1) });
    expect(stage.finding(fixed).example).toMatch(/ → 503, sent again \d+ times, each after /);
  });

  test.each<[what: string, events: number, pausesOf: (random: () => number) => number[]]>([
    ["two each", 5, () => [500, 505]],
    ["three each, a fifth more or less", 6, (random) => each(3, () => 800 + 400 * random())],
  ])("are found over several events: %s", (_, events, pausesOf) => {
    expect(Object.keys(retrying(events, pausesOf).found())).toEqual([fixed]);
  });

  test("are measured from the failure, and found beside other users and repetitions", () => {
    const slow = [100, 500, 900, 20].map((delay, at) => on({ kind: "empty", delay }, at + 1));
    const stage = reportWorldOf({ faults: [...slow, outage] });
    stage.retry([700, 1100, 1500, 620]);
    stage.retry([300, 308, 303], "b");
    expect(stage.found()).toEqual({ [fixed]: from2(5) });
    stage.retry([600, 604, 601], "c");
    stage.retry([50, 608], "d");
    expect(stage.found()[fixed]?.length).toBeGreaterThan(6);
  });

  test.each<[what: string, pauses: readonly number[]]>([
    ["doubled ones", [100, 200, 400, 800]],
    ["growing by a fifth", [1000, 1200, 1440, 1728, 2074, 2488, 2986, 3583]],
    ["up to a maximum", [1000, ...each(20, () => 2000)]],
    ["draws of full jitter", [62, 55, 310, 61]],
    ["two", [1000, 1000]],
    ["shrinking", [16_000, 8000, 4000, 2000, 1000]],
    ["at their maximum", [30_001, 30_001, 30_001, 30_001]],
    ["from a millisecond on", [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]],
  ])("aren't %s", (_, pauses) => {
    const stage = reportWorldOf({ faults: [outage] });
    stage.retry(pauses);
    expect(stage.found()).toEqual({});
  });

  test("aren't those that the service asked for, or whose end is unknown", () => {
    for (const verdict of [answer(503, "2"), { kind: "timeout" } as const]) {
      const stage = reportWorldOf({ faults: [on(verdict)] });
      stage.retry([2000, 2000, 2000, 2000, 2000]);
      expect(stage.found()).toEqual({});
      const back = reportWorldOf({ faults: [on(verdict, 4), outage] });
      back.retry([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000]);
      expect(back.found()).toEqual({});
    }
  });

  test("aren't a dashboard's, or what a client with a queue has while it works it off", () => {
    const stage = reportWorldOf({ faults: [on(drop, 4, 5, 6, 7)] });
    stage.repeat(10, 5000, () => stage.stats());
    const queue = reportWorldOf({ faults: [outage] });
    for (const pause of [1900, 1000, 2000, 1100, 1900]) {
      queue.repeat(20, 5, (event) => queue.impression(`event-${event}`));
      queue.wait(pause);
    }
    expect([stage.found(), queue.found()]).toEqual([{}, {}]);
  });

  test.each([2, 3, 5, 8])("aren't those of a back-off with %i retries", (count) => {
    for (const longestMs of [4000, 60_000]) {
      const bound = (number: number): number => Math.min(longestMs, 1000 * 2 ** number);
      let failures = 0;
      const backOffs: Readonly<Record<string, (random: () => number) => number[]>> = {
        none: () => each(count, bound),
        full: (random) => each(count, (number) => bound(number) * random()),
        half: (random) => each(count, (number) => bound(number) * (0.5 + random() / 2)),
        "by half": (random) => each(count, (at) => 1000 * 1.5 ** at * (0.75 + random() / 4)),
        decorrelated: (random) => {
          let lastMs = 1000;
          return each(count, () => {
            lastMs = Math.min(longestMs, 1000 + random() * (3 * lastMs - 1000));
            return lastMs;
          });
        },
        "one for all requests": (random) =>
          each(count, () => {
            failures += 1;
            return bound(failures - 1) * random();
          }),
      };
      for (const [name, pausesOf] of Object.entries(backOffs))
        expect(retrying(20, pausesOf).found(), `${name}, up to ${longestMs} ms`).toEqual({});
    }
  });
});

describe("a clock that stands still", () => {
  test("leaves pauses unknown for that time, and the report says so", () => {
    const stage = reportWorldOf({ faults: [outage] });
    stage.sim.clock.set({ mode: "frozen" });
    stage.repeat(10, 0, () => stage.impression("a"));
    stage.sim.clock.set({ mode: "flowing" });
    expect(stage.found()).toEqual({});
    expect(stage.sim.report().notes).toEqual([
      "The world's clock was frozen at 10 of 10 requests. Pauses aren't judged there (Retry-After, hot loops and back-off), not even those that the test made by moving the clock.",
    ]);
    stage.repeat(10, 0, () => stage.impression("b"));
    expect(stage.found()).toEqual({ [loop]: from2(10).map((one) => one + 10) });
    expect(stage.sim.report().notes[0]).toContain("frozen at 10 of 20 requests");
  });

  test("doesn't hide a client that goes on after 401", () => {
    const stage = reportWorldOf({ clock: "frozen" });
    stage.sim.publishers.rotateKey(stage.publisher.id);
    stage.repeat(7, 0, () => stage.stats());
    expect(stage.found()).toEqual({});
    stage.stats();
    expect(stage.found()).toEqual({ [badKey]: [8] });
  });
});
