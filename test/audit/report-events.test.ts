/** The report's findings about events: doubled, lost, unknown, without a session. */

import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../src/faults/rule.ts";
import { impressionIdIn } from "../sender.ts";
import { type ReportWorld, reportWorldOf } from "./report-world.ts";

/** The answers to these requests of the publisher are lost after the service has acted. */
const losing = (...nth: readonly number[]): FaultRule => ({
  match: { nth, publisher: reportWorldOf().publisher.id },
  verdict: { kind: "lose-response" },
});
const unavailable = (...nth: readonly number[]): FaultRule => ({
  match: { nth },
  verdict: { kind: "respond", status: 503 },
});

/** Impressions on one surface and ad, 200 ms apart. */
function shown(stage: ReportWorld, sessions: readonly (string | undefined)[], ad?: string): void {
  for (const session of sessions) {
    stage.impression(session, ad);
    stage.wait(200);
  }
}

describe("one event under two sessions", () => {
  test.each([
    ["whose answer was lost", losing(1)],
    ["that never arrived", { match: { nth: 1 }, verdict: { kind: "drop" } } satisfies FaultRule],
    [
      "that was answered 503 though it counts",
      {
        match: { nth: 1 },
        verdict: { kind: "respond", status: 503, applied: true },
      } satisfies FaultRule,
    ],
    [
      "whose answer broke off",
      { match: { nth: 1 }, verdict: { kind: "truncate", share: 0.5 } } satisfies FaultRule,
    ],
  ])("is reported for an impression %s", (_, rule) => {
    const stage = reportWorldOf({ faults: [rule] });
    shown(stage, ["a", "b"]);
    expect(stage.found()).toEqual(["event-in-two-sessions"]);
    expect(stage.proving("event-in-two-sessions")).toEqual([2]);
    expect(stage.finding("event-in-two-sessions").example).toMatch(
      /^#1 \S+ POST \/v1\/impression → (no answer|503|200), #2 came 0\.2 s later under another session_id$/,
    );
  });

  test("is reported for every retry if each attempt has a new session", () => {
    const stage = reportWorldOf({ faults: [losing(2, 3)] });
    shown(stage, ["other"], "ad-0");
    shown(stage, ["a", "b", "c"]);
    expect(stage.proving("event-in-two-sessions")).toEqual([3, 4]);
  });

  test("is reported if a session that was used before is replaced after a failure", () => {
    const stage = reportWorldOf({ faults: [losing(2)] });
    shown(stage, ["a"], "ad-0");
    shown(stage, ["a", "b"]);
    shown(stage, ["b"], "ad-2");
    expect(stage.proving("event-in-two-sessions")).toEqual([3]);
  });

  describe("is not reported for", () => {
    test("another user, if the first one's event is sent again under its own session", () => {
      const stage = reportWorldOf({ faults: [losing(1)] });
      shown(stage, ["a", "b", "a"]);
      expect(stage.found()).toEqual([]);
    });

    test("an ad that many users see, of whom some never retry", () => {
      const stage = reportWorldOf({
        faults: [{ match: { share: 0.3 }, verdict: { kind: "lose-response" } }],
      });
      for (let user = 0; user < 100; user += 1) {
        shown(stage, [`user-${user}`]);
        if (user % 3 === 0) shown(stage, [`user-${user}`], "ad-2");
      }
      expect(stage.found()).toEqual(["failed-and-never-sent-again"]);
    });

    test("a user whose session goes on", () => {
      const stage = reportWorldOf({ faults: [losing(1)] });
      shown(stage, ["a", "b"]);
      shown(stage, ["a"], "ad-3");
      expect(stage.found()).toEqual(["failed-and-never-sent-again"]);
    });

    test("a user who had been there before", () => {
      const stage = reportWorldOf({ faults: [losing(2)] });
      shown(stage, ["b"], "ad-0");
      shown(stage, ["a", "b"]);
      expect(stage.found()).toEqual(["failed-and-never-sent-again"]);
    });

    test("users of different publishers, surfaces and ads, and a user who comes much later", () => {
      const stage = reportWorldOf({ faults: [losing(1)] });
      stage.impression("a");
      stage.impression("b", "ad-2");
      stage.impression("b", "ad-1", stage.sim.publishers.at(1));
      stage.wait(30_001);
      stage.impression("c");
      expect(stage.found()).toEqual(["failed-and-never-sent-again"]);
    });

    test("clients of a world that was restored meanwhile", () => {
      const stage = reportWorldOf({ faults: [losing(1)] });
      const before = stage.sim.snapshot();
      stage.impression("a");
      stage.sim.restore(before);
      stage.sim.faults.clear();
      stage.impression("b");
      expect(stage.found()).not.toContain("event-in-two-sessions");
    });
  });
});

describe("events that were lost and sent again without a session", () => {
  test("are reported if they were recorded twice", () => {
    const stage = reportWorldOf({ faults: [losing(1)] });
    shown(stage, [undefined, undefined]);
    expect(stage.proving("lost-and-sent-again-without-session")).toEqual([2]);
    expect(stage.finding("lost-and-sent-again-without-session").example).toContain(
      "→ no answer, recorded, and #2 came 0.2 s later and was recorded again",
    );
    expect(stage.found()).not.toContain("failed-and-never-sent-again");
  });

  test.each([
    ["dropped before it was recorded", { match: { nth: 1 }, verdict: { kind: "drop" } }, 2],
    ["one of many users'", losing(2), 4],
    ["retried where nothing was recorded the second time", { verdict: { kind: "drop" } }, 3],
  ] satisfies [string, FaultRule, number][])(
    "aren't reported if the request was %s",
    (_, rule, count) => {
      const stage = reportWorldOf({ faults: [rule] });
      shown(
        stage,
        Array.from({ length: count }, () => undefined),
      );
      expect(stage.found()).toEqual(["impression-without-session"]);
    },
  );
});

describe("failed impressions never sent again", () => {
  test("are reported with the outcome of each; clicks aren't, because they have no session", () => {
    const stage = reportWorldOf({
      faults: [losing(2), { match: { nth: [3, 5] }, verdict: { kind: "drop" } }],
    });
    const id = impressionIdIn(stage.impression("a"));
    stage.impression("b");
    stage.impression("c");
    stage.impression("d");
    stage.click(id);
    stage.impression("e");
    expect(stage.proving("failed-and-never-sent-again")).toEqual([2, 3]);
    const { example, proof } = stage.finding("failed-and-never-sent-again");
    expect(example).toContain(
      "POST /v1/impression → no answer, recorded, which its client never learned",
    );
    expect(proof[1]).toMatchObject({ sequence: 3, fault: { served: false } });
  });

  test("include an impression without a session, and one during an outage", () => {
    const stage = reportWorldOf({ faults: [losing(1), unavailable(1)] });
    stage.impression(undefined);
    stage.impression("b", "ad-2");
    expect(stage.proving("failed-and-never-sent-again")).toEqual([1]);
    const down = reportWorldOf({ faults: [unavailable(1)] });
    down.impression("a");
    expect(down.proving("failed-and-never-sent-again")).toEqual([1]);
  });

  test("include one that wasn't recorded, and whose answer was wrong", () => {
    const wrong = { kind: "wrong-body", wrong: "missing-id" } as const;
    const stage = reportWorldOf({
      faults: [
        { match: { nth: 1 }, verdict: { ...wrong, applied: false } },
        { match: { nth: 2 }, verdict: wrong },
        { match: { nth: 3 }, verdict: { kind: "wrong-body", wrong: "foreign-id", applied: false } },
        { match: { nth: 4 }, verdict: { kind: "wrong-body", wrong: "empty-list", applied: false } },
      ],
    });
    shown(stage, ["a", "b", "c", "d"]);
    expect(stage.proving("failed-and-never-sent-again")).toEqual([1]);
    expect(stage.finding("failed-and-never-sent-again").example).toContain(
      "→ 200, not recorded, and not sent again",
    );
  });

  describe("aren't reported for", () => {
    test("an event that was retried, in whatever encoding, and then given up", () => {
      const stage = reportWorldOf({ faults: [{ verdict: { kind: "timeout" } }] });
      stage.impression("a");
      stage.wait(5000);
      const surface = stage.publisher.surfaces.find(({ status }) => status === "active")?.id ?? "";
      const { id, apiKey } = stage.publisher;
      const pairs = { session_id: "a", ad_id: "ad-1", surface, publisher_id: id };
      stage.sim.handle({
        method: "POST",
        path: "/v1/impression",
        headers: {
          Authorization: `Bearer ${apiKey}`,
          "Content-Type": "application/x-www-form-urlencoded",
        },
        body: new TextEncoder().encode(new URLSearchParams(pairs).toString()),
      });
      expect(stage.found()).toEqual([]);
    });

    test("an event whose client had its key refused before it could retry", () => {
      const stage = reportWorldOf({ faults: [losing(1)] });
      stage.impression("a");
      stage.sim.publishers.rotateKey(stage.publisher.id);
      stage.wait(100);
      stage.stats();
      expect(stage.found()).toEqual([]);
    });

    test("an event that failed while the refusal of the key was on its way", () => {
      const stage = reportWorldOf({
        faults: [
          { match: { operation: "stats" }, verdict: { kind: "respond", status: 401, delay: 2000 } },
          { verdict: { kind: "drop" } },
        ],
      });
      stage.stats();
      stage.wait(1000);
      stage.impression("a");
      expect(stage.found()).toEqual([]);
    });

    test("the last event before the client itself left", () => {
      const stage = reportWorldOf({
        faults: [{ match: { nth: 1 }, verdict: { kind: "delay", delay: 900 } }],
      });
      stage.impression("a").delivery?.undelivered();
      expect(stage.sim.report()).toMatchObject({
        operations: { impression: { 0: 1 } },
        findings: [],
      });
      stage.impression("b", "ad-2");
      expect(stage.proving("failed-and-never-sent-again")).toEqual([1]);
    });

    test("an event whose wait isn't over yet", () => {
      const stage = reportWorldOf({
        faults: [
          {
            match: { nth: 1 },
            verdict: { kind: "respond", status: 503, headers: { "retry-after": "60" } },
          },
        ],
      });
      stage.impression("a");
      stage.wait(59_000);
      stage.stats();
      expect(stage.found()).toEqual([]);
      stage.wait(2000);
      stage.stats();
      expect(stage.found()).toEqual(["failed-and-never-sent-again"]);
    });

    test("reads, which need no retry, and events that were refused", () => {
      const stage = reportWorldOf({ faults: [losing(1)] });
      stage.stats();
      stage.impression("a", "");
      expect(stage.found()).toEqual([]);
    });

    test("a success that can't be parsed, and requests that a rule applied twice", () => {
      const stage = reportWorldOf({
        faults: [
          { match: { nth: 1 }, verdict: { kind: "garbage" } },
          { match: { nth: 1 }, verdict: { kind: "duplicate" } },
          { match: { nth: 1 }, verdict: { kind: "duplicate", answer: "second" } },
        ],
      });
      for (const session of ["a", "b", "c"]) stage.impression(session);
      expect(stage.found()).toEqual([]);
    });
  });
});

describe("clicks on unknown impressions", () => {
  test.each(["404", "400"] as const)("are reported where click.unknown is %s", (choice) => {
    const stage = reportWorldOf({ assumptions: { "click.unknown": choice } });
    stage.click("imp_nothing");
    expect(stage.found()).toEqual(["click-on-unknown-impression"]);
    expect(stage.proving("click-on-unknown-impression")).toEqual([1]);
  });

  test("include those of another publisher", () => {
    const stage = reportWorldOf();
    stage.click(impressionIdIn(stage.impression("a", "ad", stage.sim.publishers.at(1))));
    expect(stage.proving("click-on-unknown-impression")).toEqual([2]);
  });

  test("aren't reported for an id that a rule's 200 gave", () => {
    const stage = reportWorldOf({
      faults: [{ match: { nth: 1 }, verdict: { kind: "wrong-body", wrong: "foreign-id" } }],
    });
    stage.click(impressionIdIn(stage.impression("a")));
    expect(stage.found()).toEqual([]);
    stage.click("imp_nothing");
    expect(stage.proving("click-on-unknown-impression")).toEqual([3]);
  });

  test("aren't reported for known or late impressions, or ones from before the world was restored", () => {
    const stage = reportWorldOf({ assumptions: { "click.window": "24h" } });
    const empty = stage.sim.snapshot();
    const id = impressionIdIn(stage.impression("a"));
    stage.click(id);
    stage.sim.clock.advance("25h");
    stage.click(id);
    stage.sim.restore(empty);
    stage.click(id);
    expect(stage.found()).toEqual([]);
    stage.click(`${id}x`);
    expect(stage.proving("click-on-unknown-impression")).toEqual([5]);
  });
});

describe("impressions without session_id", () => {
  test("are reported in every encoding, even if a rule slows an answer down", () => {
    const stage = reportWorldOf({
      faults: [{ match: { nth: 2 }, verdict: { kind: "drip", bytesPerSecond: 9 } }],
    });
    const { id, apiKey, surfaces } = stage.publisher;
    const surface = surfaces.find(({ status }) => status === "active")?.id ?? "";
    const pairs = new URLSearchParams({ publisher_id: id, surface, ad_id: "ad" }).toString();
    const headers = { authorization: `Bearer ${apiKey}` };
    stage.impression(undefined);
    stage.send({ method: "POST", path: "/v1/impression", query: pairs });
    stage.send({
      method: "POST",
      path: "/v1/impression",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: pairs,
    });
    expect(stage.proving("impression-without-session")).toEqual([1, 2, 3]);
  });

  test("aren't reported if there is one, or if the request is invalid", () => {
    const stage = reportWorldOf();
    shown(stage, ["a", "b"]);
    stage.impression(undefined, "");
    expect(stage.found()).toEqual([]);
  });

  test("aren't reported for clicks, or for impressions without a valid key", () => {
    const stage = reportWorldOf();
    stage.click(impressionIdIn(stage.impression("a")));
    stage.impression(undefined, "ad", { ...stage.publisher, apiKey: "nobody" });
    expect(stage.found()).toEqual([]);
  });
});

describe("keys in URLs", () => {
  const encoded = (text: string): string =>
    Array.from(text, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
  const places = {
    "the query": (key: string) => ({ path: "/v1/publisher/stats", query: `api_key=${key}` }),
    "the path": (key: string) => ({ path: `/v1/${key}/stats` }),
    "the query, percent-encoded": (key: string) => ({
      path: "/v1/publisher/stats",
      query: `api_key=${encoded(key)}`,
    }),
    "the path, encoded twice": (key: string) => ({
      path: `/v1/${encodeURIComponent(encoded(key))}`,
    }),
    "the query, after an encoded space": (key: string) => ({
      path: "/v1/publisher/stats",
      query: `authorization=Bearer%20${key}`,
    }),
  };

  test.each(Object.entries(places))("are reported in %s", (_, place) => {
    const stage = reportWorldOf();
    stage.send({ method: "GET", ...place(stage.publisher.apiKey) });
    expect(stage.proving("key-in-url")).toEqual([1]);
  });

  test.each(["monkey_0123456789abc", "key_limepieflavours", "key_short", "my-key_0123456789abc"])(
    "aren't reported for a surface called %s",
    (surface) => {
      const stage = reportWorldOf();
      stage.stats({ surface });
      stage.impression("a");
      expect(stage.found()).toEqual([]);
    },
  );
});

describe("wrong requests", () => {
  test("are reported from the second on if they are sent again unchanged", () => {
    const stage = reportWorldOf();
    for (let count = 0; count < 3; count += 1) {
      stage.stats({ from: "yesterday" });
      stage.wait(100_000);
    }
    expect(stage.proving("refused-and-sent-again")).toEqual([2, 3]);
  });

  test("aren't reported if they are corrected, if their parameters differ, or if they are sent only twice", () => {
    const stage = reportWorldOf();
    for (const from of ["a", "a", "2026-01-01", "b", "c", "d"]) stage.stats({ from });
    expect(stage.found()).toEqual([]);
    const users = reportWorldOf();
    for (let user = 0; user < 9; user += 1) users.impression(undefined, "");
    expect(users.found()).not.toContain("failed-and-never-sent-again");
  });

  test("are reported at unknown paths and with wrong methods, except those that browsers send by themselves", () => {
    const stage = reportWorldOf();
    for (const [method, path] of [
      ["GET", "/v1/stats"],
      ["PUT", "/v1/click"],
      ["OPTIONS", "/v1/click"],
      ["GET", "/favicon.ico"],
      ["GET", "/"],
    ] as const) {
      stage.send({ method, path });
    }
    expect(stage.proving("no-such-operation")).toEqual([1, 2]);
    expect(stage.found()).toEqual(["no-such-operation"]);
  });

  test.each([
    ["101", [1]],
    ["100", []],
    ["1", []],
    ["many", []],
  ])("with a limit of %s are reported for the requests %j", (limit, expected) => {
    const stage = reportWorldOf();
    const query = { publisher_id: stage.publisher.id, limit };
    stage.send({ method: "GET", path: "/v1/publisher/payouts", query });
    expect(stage.proving("limit-above-maximum")).toEqual(expected);
  });
});
