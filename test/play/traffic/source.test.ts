import { describe, expect, test } from "vitest";
import { digestOf } from "../../../src/base/digest.ts";
import type { TrafficOrder } from "../../../src/play/traffic/order.ts";
import { createTrafficSource } from "../../../src/play/traffic/source.ts";
import type { Traffic } from "../../../src/play/traffic/traffic.ts";
import { answerTo, member, orderOf, type Sent, sentBy, success, take } from "./orders.ts";

const steady = { for: "100s", arrivals: { kind: "constant", rate: "100/s" } } as const;

function countOf(sent: readonly Sent[], has: (one: Sent) => boolean): number {
  return sent.filter(has).length;
}

describe("traffic", () => {
  test("sends impressions of all surfaces and twenty ads, each in a session of its own", () => {
    const sent = sentBy(orderOf(steady));
    const first = { number: 0, dueMs: 0, operation: "impression", path: "/v1/impression" };
    expect(sent[0]).toMatchObject({ ...first, authorization: "Bearer key_a" });
    expect(new Set(sent.map(({ body }) => body.session_id)).size).toBe(10_000);
    for (const surface of ["a-0", "a-1", "a-2"]) {
      const share = countOf(sent, ({ body }) => body.surface === surface) / 10_000;
      expect(Math.abs(share - 1 / 3)).toBeLessThan(0.025);
    }
    expect(new Set(sent.map(({ body }) => body.ad_id)).size).toBe(20);
  });

  test("uses only the given surfaces, no sessions if they are off, and names as they are", () => {
    const given = { members: [member('"\\\u2028')] };
    const sent = sentBy(orderOf({ ...steady, surfaces: 2, sessions: false }, given));
    const surfaces = new Set(sent.map(({ body }) => body.surface));
    expect(surfaces).toEqual(new Set(['"\\\u2028-0', '"\\\u2028-1']));
    expect(sent.every(({ body }) => !("session_id" in body))).toBe(true);
    expect(sent[0]?.body.publisher_id).toBe('pub_"\\\u2028');
  });

  test("mixes operations by weight, each with the key of its publisher", () => {
    const mix = { impression: 6, stats: 2, surfaces: 1, payouts: 1 };
    const members = [member("a"), member("b/ü")];
    const sent = sentBy(orderOf({ ...steady, mix }, { members }));
    const shares = { impression: 0.6, stats: 0.2, surfaces: 0.1, payouts: 0.1 };
    for (const [operation, share] of Object.entries(shares)) {
      const found = countOf(sent, (one) => one.operation === operation) / sent.length;
      expect(Math.abs(found - share)).toBeLessThan(0.025);
    }
    const ofFirst = countOf(sent, ({ authorization }) => authorization === "Bearer key_a");
    expect(Math.abs(ofFirst / sent.length - 0.5)).toBeLessThan(0.025);
    const stats = sent.find(
      ({ operation, authorization }) => operation === "stats" && authorization !== "Bearer key_a",
    );
    expect(stats).toMatchObject({
      path: "/v1/publisher/stats",
      query: "publisher_id=pub_b%2F%C3%BC",
      authorization: "Bearer key_b/ü",
    });
    for (const { body, authorization } of sent) {
      if (body.publisher_id === undefined) continue;
      expect(authorization).toBe(`Bearer ${body.publisher_id.replace("pub_", "key_")}`);
      expect(body.surface).toMatch(body.publisher_id === "pub_a" ? /^a-/ : /^b\/ü-/);
    }
  });

  test("repeats one of a publisher's last 100 impressions with its session, surface and ad", () => {
    const members = [member("a"), member("b")];
    const sent = sentBy(orderOf({ ...steady, repeatedSessions: 0.3 }, { members }));
    let repeats = 0;
    let furthest = 0;
    for (const { id } of members) {
      const own = sent.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes(id));
      const sessions = own.map((body) => JSON.parse(body).session_id as string);
      own.forEach((body, place) => {
        const earlier = own.lastIndexOf(body, place - 1);
        if (place === 0 || earlier === -1) {
          expect(sessions.indexOf(sessions[place] ?? "")).toBe(place);
          return;
        }
        repeats += 1;
        furthest = Math.max(furthest, place - earlier);
      });
    }
    expect(Math.abs(repeats / sent.length - 0.3)).toBeLessThan(0.025);
    expect(furthest).toBeGreaterThan(50);
    expect(furthest).toBeLessThanOrEqual(100);
  });
});

describe("clicks", () => {
  const clicked = { ...steady, clicks: { rate: 0.2, after: "3s" } } as const;

  test("follow the given share of impressions after the given time, even past the end", () => {
    const sent = sentBy(orderOf(clicked));
    const clicks = sent.filter(({ operation }) => operation === "click");
    expect(Math.abs(clicks.length / 10_000 - 0.2)).toBeLessThan(0.02);
    for (const { dueMs, body, authorization, path } of clicks) {
      const impression = sent[Number(body.impression_id?.slice("imp-".length))];
      expect(impression?.operation).toBe("impression");
      expect(dueMs).toBe((impression?.dueMs ?? 0) + 3000);
      expect([authorization, path]).toEqual(["Bearer key_a", "/v1/click"]);
    }
    expect(clicks.at(-1)?.dueMs).toBeGreaterThanOrEqual(100_000);
    expect(sent.map(({ number }) => number)).toEqual(sent.map((_, place) => place));
    sent.slice(1).forEach(({ dueMs }, place) => {
      expect(dueMs).toBeGreaterThanOrEqual(sent[place]?.dueMs ?? 0);
    });
  });

  test("follow the same impressions in whatever order answers come", () => {
    const clickedBy = (order: TrafficOrder, batch: number): (string | undefined)[] => {
      const source = createTrafficSource(order);
      const sent: Sent[] = [];
      let waiting: Sent[] = [];
      for (;;) {
        const one = take(source);
        if (one !== undefined) {
          sent.push(one);
          waiting.push(one);
        } else if (waiting.length === 0) break;
        if (one !== undefined && waiting.length < batch) continue;
        for (const late of waiting.toReversed()) {
          const { session_id: session } = late.body;
          source.answered(late.number, success(`{"impression_id": "${session}", "ok": true}`));
        }
        waiting = [];
      }
      return sent
        .flatMap(({ body: { impression_id: id } }) => (id === undefined ? [] : [id]))
        .sort();
    };
    const atOnce = clickedBy(orderOf(clicked), 1);
    expect(atOnce.length).toBeGreaterThan(1500);
    expect(clickedBy(orderOf(clicked), 700)).toEqual(atOnce);
    expect(clickedBy(orderOf(clicked), 1e6)).toEqual(atOnce);
  });

  test("don't follow an impression without a successful answer that has its id", () => {
    const named = success('{"impression_id":"imp-1"}');
    for (const answer of [
      undefined,
      { ...named, status: 409 },
      { ...named, outcome: "cut" as const },
      ...["", "{}", '{"impression_id":7}', "\uFFFD"].map(success),
    ]) {
      const order = orderOf({ ...steady, for: "1s", clicks: { rate: 1 } });
      const source = createTrafficSource(order);
      let sent = 0;
      for (let one = take(source); one !== undefined; one = take(source)) {
        sent += 1;
        source.answered(one.number, answer);
      }
      expect(sent).toBe(100);
    }
  });

  test("are due at once without `after`, and have the very id of the answer", () => {
    const source = createTrafficSource(orderOf({ ...steady, clicks: { rate: 1 } }));
    source.next();
    source.answered(0, success('{"impression_id":"a\\"\\u00fc"}'));
    expect(source.nextDueMs()).toBe(0);
    expect(take(source)).toMatchObject({ dueMs: 0, body: { impression_id: 'a"ü' } });
  });
});

test("nextDueMs says when the next request is due before it is taken", () => {
  const source = createTrafficSource(orderOf({ ...steady, clicks: { rate: 0.5, after: 15 } }));
  for (;;) {
    const dueMs = source.nextDueMs();
    const one = take(source);
    expect(dueMs).toBe(one?.dueMs ?? Number.POSITIVE_INFINITY);
    if (one === undefined) break;
    source.answered(one.number, answerTo(one));
  }
  expect(source.next()).toBeUndefined();
});

describe("draws", () => {
  const varied: Traffic = {
    for: "20s",
    arrivals: { kind: "poisson", rate: "50/s" },
    mix: { impression: 8, stats: 1, payouts: 1 },
    repeatedSessions: 0.1,
    clicks: { rate: 0.1, after: "1s" },
  };

  test("are the same for the same order; another seed or number has other times and sessions", () => {
    const once = sentBy(orderOf(varied));
    expect(sentBy(orderOf(varied))).toEqual(once);
    const sessionsOf = (sent: readonly Sent[]): Set<string | undefined> =>
      new Set(sent.map(({ body }) => body.session_id).filter((session) => session !== undefined));
    for (const change of [{ number: 1 }, { seed: "other" }]) {
      const other = sentBy(orderOf(varied, change));
      expect(other.map(({ dueMs }) => dueMs)).not.toEqual(once.map(({ dueMs }) => dueMs));
      const shared = [...sessionsOf(other)].filter((session) => sessionsOf(once).has(session));
      expect(shared).toEqual([]);
    }
  });

  test("have the frozen digest: it may be wrong, and must not change unnoticed", () => {
    const sent = sentBy(orderOf(varied, { members: [member("a"), member("b")] }));
    expect(sent.length).toBe(FROZEN.sent);
    expect(digestOf(sent.map((one) => JSON.stringify(one)))).toBe(FROZEN.digest);
  });
});

const FROZEN = { sent: 1061, digest: "bd5c649a1a3792cb" };

describe("createTrafficSource", () => {
  test("refuses traffic without members, and impressions without a surface", () => {
    const refusal = expect.objectContaining({ name: "InputError", field: "publishers" });
    expect(() => createTrafficSource(orderOf(steady, { members: [] }))).toThrow(refusal);
    const bare = { members: [member("a", 0)] };
    expect(() => createTrafficSource(orderOf(steady, bare))).toThrow(refusal);
    expect(sentBy(orderOf({ ...steady, mix: { stats: 1 } }, bare))).toHaveLength(10_000);
  });
});
