/** The report's findings about pauses: Retry-After, hot loops, back-off, and going on after a refused key. */

import { describe, expect, test } from "vitest";
import { deriveKey, drawBetween } from "../../src/base/random.ts";
import type { FaultRule } from "../../src/faults/rule.ts";
import type { Verdict } from "../../src/faults/verdict.ts";
import { type ReportWorld, reportWorldOf } from "./report-world.ts";

const limited = (retryAfter: string): FaultRule => ({
  id: "limit",
  match: { times: 1 },
  verdict: { kind: "respond", status: 503, headers: { "retry-after": retryAfter } },
});
const outage: FaultRule = { id: "outage", verdict: { kind: "respond", status: 503 } };
const storm: Verdict = { kind: "respond", status: 503, headers: { "retry-after": "5" } };

/** Uses up the reporting limit, one request a millisecond; the last one is refused. */
function exhaust(stage: ReportWorld): void {
  for (let count = 0; count < 61; count += 1) {
    stage.wait(1);
    stage.stats();
  }
}

describe("requests before Retry-After was over", () => {
  test("of the limiter: each early request is reported, with the refusal that it ignored", () => {
    const stage = reportWorldOf();
    exhaust(stage);
    for (const pause of [200, 5000, 70_000]) {
      stage.wait(pause);
      stage.stats({ from: "2026-01-01" });
    }
    expect(stage.proving("before-retry-after")).toEqual([62, 63]);
    const { example, proof, who, count, spec } = stage.finding("before-retry-after");
    expect(example).toBe(
      "#61 2026-01-15T00:00:00.061Z GET /v1/publisher/stats → 429, wait 60 s; #62 came 0.2 s later",
    );
    expect(proof.map(({ sequence }) => sequence)).toEqual([62, 63]);
    expect(proof[0]?.request.headers.authorization).toBe("(redacted)");
    expect(who).toEqual([{ publisher: stage.publisher.id, count: 2 }]);
    expect([count, spec]).toEqual([2, "§8, and RFC 9110 §10.2.3"]);
  });

  test("of the limiter: a date is shown, and counts on the world's clock", () => {
    const stage = reportWorldOf({ assumptions: { "limit.retry-after": "http-date" } });
    exhaust(stage);
    stage.wait(200);
    stage.stats();
    expect(stage.finding("before-retry-after").example).toContain(
      " → 429, wait 59.9 s, until Thu, 15 Jan 2026 00:01:00 GMT; #62 came 0.2 s later",
    );
  });

  test("include other requests under the same limit, as its refusals prove", () => {
    const stage = reportWorldOf();
    exhaust(stage);
    stage.wait(1000);
    stage.send({
      method: "GET",
      path: "/v1/publisher/payouts",
      query: { publisher_id: stage.publisher.id },
    });
    expect(stage.proving("before-retry-after")).toEqual([62]);
  });

  test.each(["30", "Thu, 15 Jan 2026 00:00:30 GMT"])(
    "of a rule are reported if it is written as %s",
    (retryAfter) => {
      const stage = reportWorldOf({ faults: [limited(retryAfter)] });
      stage.impression("a");
      stage.wait(29_900);
      stage.impression("a");
      expect(stage.proving("before-retry-after")).toEqual([2]);
    },
  );

  test("are reported under choices by which the limit answers 403 with a date", () => {
    const stage = reportWorldOf({
      assumptions: { "limit.exceeded": "403", "limit.retry-after": "http-date" },
    });
    exhaust(stage);
    stage.wait(1500);
    stage.stats();
    expect(stage.proving("before-retry-after")).toEqual([62]);
  });

  test("include an event that is retried at once, while others are in progress", () => {
    const stage = reportWorldOf({ faults: [limited("5")] });
    stage.impression("a");
    stage.impression("b");
    stage.wait(2);
    stage.impression("a");
    expect(stage.proving("before-retry-after")).toEqual([3]);
  });

  test("count seconds from the answer, however long it took", () => {
    const stage = reportWorldOf({
      faults: [
        {
          match: { nth: 1 },
          verdict: { kind: "respond", status: 429, headers: { "Retry-After": "5" }, delay: "2s" },
        },
      ],
    });
    stage.impression("a");
    // Under way when the refusal arrives, so it neither breaks the wait nor ends it.
    stage.wait(1000);
    stage.impression("b");
    stage.wait(5000);
    stage.impression("a");
    expect(stage.proving("before-retry-after")).toEqual([3]);
  });

  test("are reported for a client that goes on at full speed", () => {
    const stage = reportWorldOf({
      faults: [
        { id: "limit", verdict: { kind: "respond", status: 429, headers: { "retry-after": "9" } } },
      ],
    });
    for (let count = 0; count < 300; count += 1) {
      stage.impression(`s${count}`);
      stage.wait(10);
    }
    // Requests in the first quarter of a second may have been sent before the refusal arrived.
    expect(stage.proving("before-retry-after")[0]).toBe(27);
    expect(stage.proving("before-retry-after")).toHaveLength(274);
  });

  describe("aren't reported for", () => {
    test.each(["30", "Thu, 15 Jan 2026 00:00:30 GMT"])(
      "a client that waits, told %s",
      (retryAfter) => {
        const stage = reportWorldOf({ faults: [limited(retryAfter)] });
        stage.impression("a");
        stage.wait(30_000);
        stage.impression("a");
        expect(stage.found()).toEqual([]);
      },
    );

    test("requests that were in progress when the first refusal arrived", () => {
      const stage = reportWorldOf();
      for (let count = 0; count < 200; count += 1) {
        stage.stats({ from: `2026-01-${String((count % 15) + 1).padStart(2, "0")}` });
        if (count % 2 === 0) stage.wait(1);
      }
      stage.wait(60_000);
      stage.stats();
      expect(stage.found()).toEqual([]);
    });

    test("other operations and other publishers", () => {
      const stage = reportWorldOf({ faults: [limited("30")] });
      stage.stats();
      stage.wait(2000);
      stage.impression("a");
      stage.sim.handle({
        method: "GET",
        path: "/v1/publisher/stats",
        query: { publisher_id: stage.sim.publishers.at(1).id },
        headers: { authorization: `Bearer ${stage.sim.publishers.at(1).apiKey}` },
      });
      expect(stage.found()).toEqual([]);
    });

    test("requests after one that succeeded", () => {
      const stage = reportWorldOf({ faults: [limited("30")] });
      for (const session of ["a", "b", "c", "a"]) {
        stage.impression(session);
        stage.wait(10_100);
      }
      // The second came early and was answered, so there was nothing left to wait for.
      expect(stage.proving("before-retry-after")).toEqual([2]);
    });

    test("a client that never got the answer, or got an invalid Retry-After", () => {
      const stage = reportWorldOf({
        faults: [
          {
            match: { nth: 1 },
            verdict: { kind: "respond", status: 503, headers: { "retry-after": "soon" } },
          },
        ],
      });
      stage.impression("a");
      stage.wait(500);
      stage.impression("a");
      exhaustUnheard(stage);
      expect(stage.found()).toEqual([]);
    });
  });
});

/** Uses up the reporting limit while the refusals don't reach the client, which tries three times. */
function exhaustUnheard(stage: ReportWorld): void {
  for (let count = 0; count < 60; count += 1) stage.stats();
  stage.sim.faults.add({ verdict: { kind: "lose-response" } });
  for (const pause of [0, 900, 2100]) {
    stage.wait(pause);
    stage.stats();
  }
}

describe("a hot loop", () => {
  test("of one event: every repetition is reported", () => {
    const stage = reportWorldOf({ faults: [outage] });
    for (let count = 0; count < 7; count += 1) {
      stage.impression("a");
      stage.wait(3);
    }
    expect(stage.proving("hot-loop")).toEqual([2, 3, 4, 5, 6, 7]);
    expect(stage.finding("hot-loop").example).toBe(
      "#1 2026-01-15T00:00:00.000Z POST /v1/impression → 503, sent 6 more times within 18 ms",
    );
    expect(stage.found()).toEqual(["hot-loop"]);
  });

  test("is reported for 60 sends of a request that many users could send", () => {
    const stage = reportWorldOf({ faults: [outage] });
    for (let count = 0; count < 60; count += 1) {
      stage.stats();
      stage.wait(1);
    }
    expect(stage.proving("hot-loop")).toHaveLength(59);
  });

  test("is reported on closed connections, where the answers never arrive", () => {
    const stage = reportWorldOf({ faults: [{ verdict: { kind: "drop", delay: 40 } }] });
    for (let count = 0; count < 10; count += 1) {
      stage.click("imp_nothing");
      stage.wait(42);
    }
    expect(stage.proving("hot-loop")).toHaveLength(9);
  });

  describe("is not reported for", () => {
    test("five quick sends of one event", () => {
      const stage = reportWorldOf({ faults: [outage] });
      for (const pause of [1, 2, 4, 8, 0]) {
        stage.impression("a");
        stage.wait(pause);
      }
      expect(stage.found()).toEqual([]);
    });

    test("a page that sends the same request many times at once", () => {
      const stage = reportWorldOf({ faults: [outage] });
      for (let count = 0; count < 49; count += 1) stage.stats();
      expect(stage.found()).toEqual([]);
    });

    test("many users' impressions in an outage, or requests that succeed", () => {
      const busy = reportWorldOf({ faults: [outage] });
      for (let count = 0; count < 100; count += 1) {
        busy.impression(`user-${count}`);
        busy.impression(undefined);
        busy.wait(1);
      }
      expect(busy.found()).not.toContain("hot-loop");
      const happy = reportWorldOf();
      for (let count = 0; count < 60; count += 1) happy.stats();
      expect(happy.found()).toEqual([]);
    });

    test("a back-off that starts with a millisecond", () => {
      const stage = reportWorldOf({ faults: [outage] });
      for (let pause = 1; pause < 600; pause *= 2) {
        stage.impression("a");
        stage.wait(pause);
      }
      expect(stage.found()).toEqual([]);
    });
  });
});

/** Sends one event again and again in an outage, after these pauses. */
function retrying(
  pauses: readonly number[],
  session = "a",
  stage = reportWorldOf({ faults: [outage] }),
): ReportWorld {
  stage.impression(session);
  for (const pause of pauses) {
    stage.wait(pause);
    stage.impression(session);
  }
  return stage;
}

describe("retries without growing pauses", () => {
  test("are reported after three equal pauses", () => {
    const stage = retrying([1000, 1000, 1000]);
    expect(stage.proving("pauses-do-not-grow")).toEqual([2, 3, 4]);
    expect(stage.finding("pauses-do-not-grow").example).toBe(
      "#1 2026-01-15T00:00:00.000Z POST /v1/impression → 503, sent again 3 times, each after 1 s",
    );
  });

  test.each([
    ["those of a real timer", [1003, 1009, 1001]],
    ["four of a busy machine", [250, 258, 251, 262]],
    ["many with some randomness", [1000, 1200, 950, 1100, 900, 1150, 1000, 1180]],
  ])("are reported for pauses such as %s", (_, pauses) => {
    expect(retrying(pauses).proving("pauses-do-not-grow")).toHaveLength(pauses.length);
  });

  test("are reported after slightly different pauses over several events", () => {
    const stage = retrying([500, 508, 503]);
    retrying([502, 500, 515], "b", stage);
    expect(stage.proving("pauses-do-not-grow")).toEqual([2, 3, 4, 6, 7, 8]);
  });

  test("are measured without the time until the failure shows", () => {
    const stage = reportWorldOf({
      faults: [100, 500, 900, 20].map((delay, index) => ({
        match: { nth: index + 1 },
        verdict: { kind: "empty", delay },
      })),
    });
    retrying([700, 1100, 1500, 620], "a", stage);
    expect(stage.proving("pauses-do-not-grow")).toEqual([2, 3, 4, 5]);
  });

  test("aren't excused by a back-off before a success, or by a requested pause", () => {
    const works: Verdict = { kind: "delay", delay: 1 };
    const stage = reportWorldOf({
      faults: [
        { match: { nth: 4 }, verdict: works },
        { match: { nth: 5 }, verdict: storm },
        outage,
      ],
    });
    retrying([1000, 2000, 4000], "a", stage).wait(60_000);
    retrying([5000, 10_000, 10_000, 10_000, 10_000], "a", stage);
    expect(stage.found()).toEqual(["pauses-do-not-grow"]);
  });

  test("include five shrinking pauses, however long", () => {
    const stage = retrying([40_000, 8000, 4000, 2000, 1000]);
    expect(stage.proving("pauses-do-not-grow")).toEqual([2, 3, 4, 5, 6]);
    expect(stage.finding("pauses-do-not-grow").example).toMatch(
      /, sent again 5 times, each after 1 s to 40 s$/,
    );
    expect(retrying([8000, 4000, 2000, 1000]).found()).toEqual([]);
  });

  test("include more than 60 within a minute, however different", () => {
    const pauses = Array.from({ length: 61 }, (_, at) => 100 + ((at * 377) % 701));
    expect(retrying(pauses).proving("pauses-do-not-grow")).toHaveLength(61);
    expect(retrying(pauses.slice(1)).found()).toEqual([]);
  });

  describe("aren't reported for", () => {
    test.each([
      ["doubled pauses", [100, 200, 400, 800]],
      ["pauses that grow by a fifth", [1000, 1200, 1440, 1728, 2074, 2488, 2986, 3583]],
      ["pauses that grow by a little", [1000, 1040, 1080, 1120, 1170, 1220, 1270, 1320]],
      ["draws of a full jitter", [62, 55, 310, 61]],
      ["two retries", [1000, 1000]],
      ["pauses at their maximum", [30_001, 30_001, 30_001, 30_001]],
    ])("%s", (_, pauses) => {
      expect(retrying(pauses).found()).toEqual([]);
    });

    test("pauses that the service asked for", () => {
      const stage = reportWorldOf({
        faults: [{ verdict: { kind: "respond", status: 503, headers: { "retry-after": "2" } } }],
      });
      expect(retrying([2000, 2000, 2000, 2000, 2000], "a", stage).found()).toEqual([]);
    });

    test.each<[string, Verdict]>([
      ["asked for a pause of its own in between", storm],
      ["wasn't heard from in between", { kind: "timeout" }],
    ])("a back-off at its maximum, where the service %s", (_, verdict) => {
      const stage = reportWorldOf({ faults: [{ match: { nth: 4 }, verdict }, outage] });
      const pauses = [1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000];
      expect(retrying(pauses, "a", stage).found()).toEqual([]);
    });

    test("one coincidence among many back-offs", () => {
      const stage = retrying([1000, 1000, 1000]);
      for (const session of ["b", "c"]) retrying([100, 200, 400], session, stage);
      expect(stage.found()).toEqual([]);
    });

    test("a dashboard that asks every five seconds, even through an outage", () => {
      const stage = reportWorldOf({
        faults: [{ match: { nth: [4, 5, 6, 7] }, verdict: { kind: "empty" } }],
      });
      for (let count = 0; count < 10; count += 1) {
        stage.stats();
        stage.wait(5000);
      }
      expect(stage.found()).toEqual([]);
    });

    test("timeouts, since nobody knows when the client gave up", () => {
      const stage = reportWorldOf({ faults: [{ verdict: { kind: "timeout" } }] });
      expect(retrying([5100, 5200, 5101, 5099], "a", stage).found()).toEqual([]);
    });
  });
});

/** So many events, one after the other, each tried again after these pauses in milliseconds. */
function retryingEach(
  events: number,
  pausesOf: (random: () => number) => readonly number[],
  seed = "jitter",
): ReportWorld {
  const stage = reportWorldOf({ faults: [outage] });
  const key = deriveKey(seed, "pauses");
  let drawn = 0;
  const random = (): number => {
    drawn += 1;
    return drawBetween(key, drawn, 0, 999_999) / 1_000_000;
  };
  for (let event = 0; event < events; event += 1) {
    const pauses = pausesOf(random).map(Math.ceil);
    retrying(pauses, `event-${event}`, stage).wait(90_000);
  }
  return stage;
}

/** This many pauses, each drawn with its number from 0. */
function drawnPauses(
  count: number,
  drawnMs: (number: number, random: () => number) => number,
): (random: () => number) => number[] {
  return (random) => Array.from({ length: count }, (_, number) => drawnMs(number, random));
}

describe("fixed pauses with jitter", () => {
  const aroundASecond = (count: number) => drawnPauses(count, (_, random) => 500 + 1000 * random());

  test.each([
    [12, 3],
    [12, 5],
    [18, 2],
  ])("are reported over %i events with %i retries each", (events, count) => {
    const stage = retryingEach(events, aroundASecond(count));
    expect(stage.proving("pauses-do-not-grow")).toHaveLength(events * count);
    expect(stage.finding("pauses-do-not-grow").example).toMatch(
      /, sent again \d times, each after \d.* to \d.* s$/,
    );
  });

  test("are reported if they are anything up to a bound, and the first one is long", () => {
    const upTo = (boundMs: number) => drawnPauses(4, (_, random) => boundMs * random());
    const found = Array.from({ length: 20 }, (_, seed) =>
      retryingEach(20, upTo(8000), `${seed}`).found(),
    );
    expect(found.filter((one) => one.length > 0).length).toBeGreaterThan(3);
    expect(retryingEach(19, upTo(8000), "1").found()).toEqual([]);
  });

  test.each([2, 4, 16])(
    "aren't what one back-off for all requests looks like, up to %i s",
    (longestS) => {
      for (let seed = 0; seed < 20; seed += 1) {
        let failures = 0;
        const drawn = drawnPauses(4, (_, random) => {
          failures += 1;
          return Math.min(longestS, 2 ** (failures - 1)) * 1000 * random();
        });
        expect(retryingEach(20, drawn, `${seed}`).found(), `${seed}`).toEqual([]);
      }
    },
  );

  test.each([
    [11, 5],
    [17, 2],
    [40, 1],
  ])("aren't reported over only %i events with %i retries each", (events, count) => {
    expect(retryingEach(events, aroundASecond(count)).found()).toEqual([]);
  });

  test("aren't reported among pauses that differ more", () => {
    const stage = retryingEach(20, aroundASecond(4));
    retrying([9000, 18_000], "slow", stage);
    expect(stage.found()).toEqual([]);
  });

  test("aren't reported if other requests come in between, since the client may send only so many a second", () => {
    const stage = reportWorldOf({ faults: [outage] });
    for (const pause of [1900, 1000, 2000, 1100, 1900]) {
      for (let event = 0; event < 20; event += 1) {
        stage.impression(`event-${event}`);
        stage.wait(5);
      }
      stage.wait(pause);
    }
    expect(stage.found()).toEqual([]);
  });

  test.each([2, 3, 5, 8])("aren't what a back-off with %i retries looks like", (count) => {
    for (const longestMs of [2000, 4000, 60_000]) {
      const boundMs = (number: number): number => Math.min(longestMs, 1000 * 2 ** number);
      const backOffs = {
        "full jitter": drawnPauses(count, (number, random) => boundMs(number) * random()),
        "half jitter": drawnPauses(
          count,
          (number, random) => boundMs(number) * (0.5 + random() / 2),
        ),
        "growing by half": drawnPauses(
          count,
          (number, random) => 1000 * 1.5 ** number * (0.75 + random() / 4),
        ),
        "decorrelated jitter": (random: () => number): number[] => {
          let lastMs = 1000;
          return Array.from({ length: count }, () => {
            lastMs = Math.min(2 * longestMs, 1000 + random() * (3 * lastMs - 1000));
            return lastMs;
          });
        },
      };
      for (const [name, pausesOf] of Object.entries(backOffs)) {
        for (let seed = 0; seed < 6; seed += 1) {
          const stage = retryingEach(20, pausesOf, `${seed}`);
          expect(stage.found(), `${name}, up to ${longestMs} ms, ${seed}`).toEqual([]);
        }
      }
    }
  });
});

describe("going on after 401", () => {
  const bad = { authorization: "Bearer nobody" };

  test("is reported with another request, and with the same", () => {
    const stage = reportWorldOf();
    const ask = (path: string): unknown => stage.send({ method: "GET", path, headers: bad });
    ask("/v1/publisher/stats");
    stage.wait(500);
    ask("/v1/publisher/surfaces");
    stage.wait(500);
    ask("/v1/publisher/stats");
    expect(stage.proving("continues-after-401")).toEqual([2, 3]);
    expect(stage.finding("continues-after-401").who).toEqual([{ publisher: undefined, count: 2 }]);
    expect(stage.finding("continues-after-401").example).toBe(
      "#1 2026-01-15T00:00:00.000Z GET /v1/publisher/stats → 401, #2 came 0.5 s later with the same key",
    );
    expect(JSON.stringify(stage.sim.report())).not.toContain("nobody");
  });

  test("is reported where auth.failure is 403", () => {
    const stage = reportWorldOf({ assumptions: { "auth.failure": "403" } });
    for (let count = 0; count < 2; count += 1) {
      stage.send({ method: "GET", path: "/v1/publisher/stats", headers: bad });
      stage.wait(500);
    }
    expect(stage.proving("continues-after-401")).toEqual([2]);
  });

  test("is reported with a key that was replaced, and a rule's 401 counts too", () => {
    const stage = reportWorldOf();
    stage.stats();
    stage.sim.publishers.rotateKey(stage.publisher.id);
    stage.stats();
    stage.wait(1000);
    stage.stats();
    expect(stage.proving("continues-after-401")).toEqual([3]);
    const ruled = reportWorldOf({
      faults: [{ match: { nth: 1 }, verdict: { kind: "respond", status: 401 } }],
    });
    for (let count = 0; count < 3; count += 1) ruled.impression("a");
    // The second was answered, so the key is valid.
    expect(ruled.proving("continues-after-401")).toEqual([2]);
  });

  describe("is not reported for", () => {
    test("requests that were sent together", () => {
      const stage = reportWorldOf();
      for (const path of ["stats", "surfaces", "payouts"]) {
        stage.send({ method: "GET", path: `/v1/publisher/${path}`, headers: bad });
        stage.wait(40);
      }
      expect(stage.found()).toEqual([]);
    });

    test("a client that takes another key", () => {
      const stage = reportWorldOf();
      stage.send({ method: "GET", path: "/v1/publisher/stats", headers: bad });
      stage.wait(1000);
      stage.stats();
      stage.wait(1000);
      stage.stats();
      expect(stage.found()).toEqual([]);
    });

    test("a 403 for another reason, or a 401 that never arrived", () => {
      const stage = reportWorldOf();
      const foreign = stage.sim.publishers.at(1).id;
      for (const period of ["2026-01-01", "2026-01-02"]) {
        stage.stats({ publisher_id: foreign, from: period });
        stage.wait(1000);
      }
      stage.sim.faults.add({ verdict: { kind: "lose-response" } });
      for (const pause of [700, 1500]) {
        stage.send({ method: "GET", path: "/v1/publisher/stats", headers: bad });
        stage.wait(pause);
      }
      expect(stage.found()).toEqual([]);
    });
  });
});

describe("requests that may have been in progress", () => {
  test("are counted in a note: after a Retry-After, each request that followed at once", () => {
    const stage = reportWorldOf();
    for (let count = 0; count < 70; count += 1) {
      stage.stats();
      stage.wait(3);
    }
    expect(stage.found()).toEqual([]);
    expect(stage.sim.report().notes).toEqual([
      expect.stringMatching(
        /^9 requests came so soon after a Retry-After or a 401 that the client may/,
      ),
    ]);
  });

  test("are counted in a note after a 401", () => {
    const stage = reportWorldOf();
    const headers = { authorization: "Bearer key_0000000000000" };
    for (let count = 0; count < 2; count += 1) {
      stage.send({ method: "GET", path: "/v1/publisher/stats", headers });
      stage.wait(3);
    }
    expect(stage.sim.report().notes[0]).toMatch(/^1 request came so soon/);
  });

  test("don't include those with a finding, or those after the wait", () => {
    const stage = reportWorldOf({ faults: [limited("5")] });
    stage.impression("a");
    stage.wait(1000);
    stage.impression("b");
    stage.wait(4000);
    stage.impression("c");
    expect(stage.proving("before-retry-after")).toEqual([2]);
    expect(stage.sim.report().notes).toEqual([]);
  });
});

describe("a clock that stands still", () => {
  test("leaves pauses unknown: the report says so, and has no findings about them", () => {
    const stage = reportWorldOf({ clock: "frozen", faults: [outage] });
    for (let count = 0; count < 50; count += 1) stage.impression("a");
    for (let count = 0; count < 61; count += 1) stage.stats();
    expect(stage.found()).toEqual([]);
    expect(stage.sim.report().notes).toEqual([
      "The world's clock stood still for these requests, so the pauses between them can't be judged (Retry-After, hot loops and back-off).",
    ]);
  });

  test("affects only the time in which it stood still", () => {
    const stage = reportWorldOf({ faults: [outage] });
    stage.sim.clock.set({ mode: "frozen" });
    for (let count = 0; count < 10; count += 1) stage.impression("a");
    stage.sim.clock.set({ mode: "flowing" });
    expect(stage.found()).toEqual([]);
    for (let count = 0; count < 10; count += 1) stage.impression("b");
    stage.sim.clock.set({ mode: "frozen" });
    stage.impression("b");
    expect(stage.proving("hot-loop")).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(stage.sim.report().notes[0]).toContain("stood still for 11 of these requests");
  });

  test("doesn't hide a client that goes on after 401", () => {
    const stage = reportWorldOf({ clock: "frozen" });
    stage.sim.publishers.rotateKey(stage.publisher.id);
    for (let count = 0; count < 7; count += 1) stage.stats();
    expect(stage.found()).toEqual([]);
    stage.stats();
    expect(stage.proving("continues-after-401")).toEqual([8]);
  });
});
