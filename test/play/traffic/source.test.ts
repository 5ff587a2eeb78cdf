import { expect, test } from "vitest";
import { digestOf } from "../../../src/base/digest.ts";
import { createTrafficSource } from "../../../src/play/traffic/source.ts";
import type { Traffic } from "../../../src/play/traffic/traffic.ts";
import {
  answerTo,
  drained,
  member,
  orderOf,
  type Sent,
  sentBy,
  sentOf,
  success,
} from "./orders.ts";

const steady = { for: "100s", arrivals: { kind: "constant", rate: "100/s" } } as const;

function shareOf(sent: readonly Sent[], has: (one: Sent) => boolean): number {
  return sent.filter(has).length / sent.length;
}

test("traffic sends impressions of all surfaces and twenty ads, each in a session of its own", () => {
  const sent = sentBy(orderOf(steady));
  const first = { number: 0, dueMs: 0, operation: "impression", path: "/v1/impression" };
  expect(sent[0]).toMatchObject({ ...first, authorization: "Bearer key_a" });
  expect(new Set(sent.map(({ body }) => body.session_id)).size).toBe(10_000);
  for (const surface of ["a-0", "a-1", "a-2"]) {
    const share = shareOf(sent, ({ body }) => body.surface === surface);
    expect(Math.abs(share - 1 / 3)).toBeLessThan(0.025);
  }
  expect(new Set(sent.map(({ body }) => body.ad_id)).size).toBe(20);
});

test("traffic uses only the given surfaces, no sessions if they are off, and names as they are", () => {
  const given = { members: [member('"\\\u2028')] };
  const sent = sentBy(orderOf({ ...steady, surfaces: 2, sessions: false }, given));
  const surfaces = new Set(sent.map(({ body }) => body.surface));
  expect(surfaces).toEqual(new Set(['"\\\u2028-0', '"\\\u2028-1']));
  expect(sent.every(({ body }) => !("session_id" in body))).toBe(true);
  expect(sent[0]?.body.publisher_id).toBe('pub_"\\\u2028');
});

test("traffic mixes operations by weight, each with the key of its publisher", () => {
  const mix = { impression: 6, stats: 2, surfaces: 1, payouts: 1 };
  const members = [member("a"), member("b/ü")];
  const sent = sentBy(orderOf({ ...steady, mix }, { members }));
  for (const [operation, weight] of Object.entries(mix)) {
    const found = shareOf(sent, (one) => one.operation === operation);
    expect(Math.abs(found - weight / 10)).toBeLessThan(0.025);
  }
  const ofOther = sent.filter(({ authorization }) => authorization === "Bearer key_b/ü");
  expect(Math.abs(ofOther.length / sent.length - 0.5)).toBeLessThan(0.025);
  expect(ofOther.find(({ operation }) => operation === "stats")).toMatchObject({
    path: "/v1/publisher/stats",
    query: "publisher_id=pub_b%2F%C3%BC",
  });
  for (const { body, authorization } of sent) {
    if (body.publisher_id === undefined) continue;
    expect(authorization).toBe(`Bearer ${body.publisher_id.replace("pub_", "key_")}`);
    expect(body.surface).toMatch(body.publisher_id === "pub_a" ? /^a-/ : /^b\/ü-/);
  }
});

test("the given share repeats one of a publisher's last 100 impressions, with session, surface and ad", () => {
  const members = [member("a"), member("b")];
  const sent = sentBy(orderOf({ ...steady, repeatedSessions: 0.3 }, { members }));
  const distances = members.flatMap(({ id }) => {
    const own = sent.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes(id));
    const sessions = new Set(own.map((body) => JSON.parse(body).session_id));
    expect(new Set(own).size).toBe(sessions.size);
    return own.flatMap((body, place) => {
      const earlier = place === 0 ? -1 : own.lastIndexOf(body, place - 1);
      return earlier === -1 ? [] : [place - earlier];
    });
  });
  expect(Math.abs(distances.length / sent.length - 0.3)).toBeLessThan(0.025);
  expect(Math.max(...distances)).toBeGreaterThan(50);
  expect(Math.max(...distances)).toBeLessThanOrEqual(100);
});

/** The number of the impression that a click names. */
function clickedBy({ impression_id: id }: Sent["body"]): number {
  return Number(id?.slice("imp-".length));
}

const clicked = { ...steady, clicks: { rate: 0.2, after: "3s" } } as const;

test("clicks follow the given share of impressions after the given time, even past the end", () => {
  const sent = sentBy(orderOf(clicked));
  const clicks = sent.filter(({ operation }) => operation === "click");
  expect(Math.abs(clicks.length / 10_000 - 0.2)).toBeLessThan(0.02);
  for (const { dueMs, body, authorization, path } of clicks) {
    const impression = sent[clickedBy(body)];
    expect(impression?.operation).toBe("impression");
    expect(dueMs).toBe((impression?.dueMs ?? 0) + 3000);
    expect([authorization, path]).toEqual(["Bearer key_a", "/v1/click"]);
  }
  expect(clicks.at(-1)?.dueMs).toBeGreaterThanOrEqual(100_000);
  const times = sent.map(({ dueMs }) => dueMs);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});

test("clicks follow the same impressions in whatever order answers come", () => {
  const sent = sentBy(orderOf(clicked));
  const atOnce = sent.flatMap(({ body }) => sent[clickedBy(body)]?.body.session_id ?? []);
  const source = createTrafficSource(orderOf(clicked));
  const shown = [...drained(source)];
  for (const [index, one] of [...shown.entries()].toReversed()) one.answered(answerTo(index));
  const sessions = shown.map((one) => sentOf(one, 0).body.session_id);
  const late = [...drained(source)].map((one) => sessions[clickedBy(sentOf(one, 0).body)]);
  expect(late).toEqual(atOnce);
});

test("clicks have the very id of the answer, and don't follow one without a success and an id", () => {
  const named = success('{"impression_id":"a\\"\\u00fc"}');
  const order = orderOf({ ...steady, for: "1s", clicks: { rate: 1 } });
  for (const [answer, isClicked] of [
    [named, true],
    [{ ...named, status: 409 }, false],
    [{ ...named, outcome: "cut" as const }, false],
    ...["", "{}", '{"impression_id":7}', "\uFFFD"].map((text) => [success(text), false] as const),
  ] as const) {
    const source = createTrafficSource(order);
    source.next()?.answered(answer);
    expect(source.next()).toMatchObject(
      isClicked
        ? { dueMs: 0, request: { body: { impression_id: 'a"ü' } } }
        : { operation: "impression" },
    );
  }
});

const varied: Traffic = {
  for: "20s",
  arrivals: { kind: "poisson", rate: "50/s" },
  mix: { impression: 8, stats: 1, payouts: 1 },
  repeatedSessions: 0.1,
  clicks: { rate: 0.1, after: "1s" },
};

test("the same order draws the same; another seed or number has other times and sessions", () => {
  const once = sentBy(orderOf(varied));
  expect(sentBy(orderOf(varied))).toEqual(once);
  const sessionsOf = (sent: readonly Sent[]) =>
    new Set(sent.flatMap(({ body: { session_id: session } }) => session ?? []));
  for (const change of [{ number: 1 }, { seed: "other" }]) {
    const other = sentBy(orderOf(varied, change));
    expect(other.map(({ dueMs }) => dueMs)).not.toEqual(once.map(({ dueMs }) => dueMs));
    expect([...sessionsOf(other)].filter((one) => sessionsOf(once).has(one))).toEqual([]);
  }
});

test("draws have the frozen digest: it may be wrong, and must not change unnoticed", () => {
  const sent = sentBy(orderOf(varied, { members: [member("a"), member("b")] }));
  expect(sent.length).toBe(1061);
  expect(digestOf(sent.map((one) => JSON.stringify(one)))).toBe("bd5c649a1a3792cb");
});

test("impressions without a surface are refused", () => {
  const refusal = expect.objectContaining({ name: "InputError", field: "publishers" });
  const bare = { members: [member("a", 0)] };
  expect(() => createTrafficSource(orderOf(steady, bare))).toThrow(refusal);
  expect(sentBy(orderOf({ ...steady, mix: { stats: 1 } }, bare))).toHaveLength(10_000);
});
