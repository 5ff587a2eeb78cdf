/** Which clients have which findings about events and about single requests, and which have none. */

import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../src/faults/rule.ts";
import type { FindingId } from "../../src/index.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import { impressionIdIn } from "../sender.ts";
import { answer, drop, lose, on, type ReportWorld, reportWorldOf } from "./report-world.ts";

type Found = Partial<Record<FindingId, readonly number[]>>;

const two = "event-in-two-sessions";
const never = "failed-and-never-sent-again";
const bare = "impression-without-session";
const cut = { kind: "truncate", share: 0.5 } as const;
const wrong = { kind: "wrong-body", wrong: "missing-id" } as const;

test.each<[what: string, faults: readonly FaultRule[], script: string, found: Found]>([
  ["a lost answer, and another session", [on(lose, 1)], "a b", { [two]: [2] }],
  ["a request that never arrived", [on(drop, 1)], "a b", { [two]: [2] }],
  ["an answer that broke off", [on(cut, 1)], "a b", { [two]: [2] }],
  ["a session for each attempt", [on(lose, 2, 3)], "other@0 a b c", { [two]: [3, 4] }],
  ["sessions that are also used elsewhere", [on(lose, 2)], "a@0 a b b@2", { [two]: [3] }],
  ["another user in between", [on(lose, 1)], "a b a", {}],
  ["a user whose session goes on", [on(lose, 1)], "a b a@3", { [never]: [1] }],
  ["a user who had been there before", [on(lose, 2)], "b@0 a b", { [never]: [2] }],
  ["another ad", [on(lose, 1)], "a@1 b@2", { [never]: [1] }],
  ["a user who comes much later", [on(lose, 1)], "a 30s b", { [never]: [1] }],
  ["users of whom most don't retry", [on(drop, 1, 3, 4)], "a b c@2 d@3", { [never]: [1, 3, 4] }],
  ["a lost answer without a session", [on(lose, 1)], "- -", { [bare]: [1, 2] }],
  ["a lost impression, dropped ones", [on(lose, 1), on(drop, 3)], "a b c", { [never]: [1, 3] }],
  ["an outage, no session", [on(answer(503), 1)], "- b@2", { [bare]: [1] }],
  ["a wrong answer", [on({ ...wrong, applied: false }, 1)], "a", {}],
  ["an unreadable success", [on({ kind: "garbage" }, 1)], "a", {}],
  ["a request that is applied twice", [on({ kind: "duplicate" })], "a b", {}],
  ["an event that was retried, and then given up", [on(drop)], "a 5s a", {}],
  ["a wait that is over", [on(answer(503, "60"), 1)], "a 61s b@2", { [never]: [1] }],
  ["a refusal", [on(answer(400), 1)], "a", {}],
])("%s", (_, faults, script, found) => {
  const stage = reportWorldOf({ faults });
  stage.show(script);
  expect(stage.found()).toEqual(found);
});

test("an event's example shows what failed, and what came of it", () => {
  const resent = reportWorldOf({ faults: [on(lose, 1)] });
  resent.show("a b");
  expect(resent.finding(two).example).toMatch(
    /^#1 \S+ POST \/v1\/impression → no answer, #2 came 0\.2 s later under another session_id$/,
  );
  const missing = reportWorldOf({ faults: [on(lose, 1)] });
  missing.show("a");
  expect(missing.finding(never).example).toMatch(
    /→ no answer, recorded, which its client never learned, and not sent again$/,
  );
});

describe("a failed impression isn't missing", () => {
  test("if the key was refused", () => {
    const stage = reportWorldOf({
      faults: [{ match: { operation: "impression" }, verdict: lose }],
    });
    stage.impression("a");
    stage.sim.publishers.rotateKey(stage.publisher.id);
    stage.wait(100);
    stage.stats();
    expect(stage.found()).toEqual({});
  });

  test("if it was the last before its client left, or the world was restored", () => {
    const stage = reportWorldOf({ faults: [on({ kind: "delay", delay: 900 }, 1)] });
    const before = stage.sim.snapshot();
    stage.impression("a").delivery?.undelivered();
    expect(stage.found()).toEqual({});
    stage.sim.restore(before);
    stage.sim.faults.clear();
    stage.impression("b");
    expect(stage.found()).toEqual({});
  });

  test("if it was told to wait, until that is over", () => {
    const stage = reportWorldOf({ faults: [on(answer(503, "60"), 1)] });
    stage.impression("a");
    stage.wait(59_000);
    stage.stats();
    expect(stage.found()).toEqual({});
  });

  test("if it came in another encoding", () => {
    const stage = reportWorldOf({ faults: [on(drop, 1)] });
    stage.impression("a");
    const { id: publisher_id, apiKey: key, surfaces } = stage.publisher;
    const surface = surfaces.find(({ status }) => status === "active")?.id;
    const shown = { session_id: "a", ad_id: "ad-1", surface, publisher_id };
    stage.send(buildRequest("impression", shown, { key, encoding: "form" }));
    expect(stage.found()).toEqual({});
  });
});

const unknown = "click-on-unknown-impression";

test("clicks on impressions that the publisher never had are found", () => {
  for (const choice of ["404", "400"] as const) {
    const stage = reportWorldOf({ assumptions: { "click.unknown": choice } });
    const other = stage.impression("a", "ad", stage.sim.publishers.at(1));
    stage.click(impressionIdIn(other));
    stage.click("imp_nothing");
    stage.click(impressionIdIn(stage.impression("a")));
    expect(stage.found()).toEqual({ [unknown]: [2, 3] });
  }
});

test("clicks on late and forged impressions, and on those of an earlier state, aren't", () => {
  const forging = reportWorldOf({ faults: [on({ ...wrong, wrong: "foreign-id" }, 1)] });
  forging.click(impressionIdIn(forging.impression("a")));
  expect(forging.found()).toEqual({});
  const stage = reportWorldOf({ assumptions: { "click.window": "24h" } });
  const empty = stage.sim.snapshot();
  const id = impressionIdIn(stage.impression("a"));
  stage.sim.clock.advance("25h");
  stage.click(id);
  stage.sim.restore(empty);
  stage.click(id);
  stage.click(`${id}x`);
  expect(stage.found()).toEqual({ [unknown]: [4] });
});

const get = (path: string, query: string | Readonly<Record<string, string>> = "") => ({
  ...{ method: "GET", path, query },
});
const url = "key-in-url";
const nowhere = "no-such-operation";
const encoded = (text: string): string =>
  Array.from(text, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");

test.each<[what: string, act: (stage: ReportWorld, key: string) => unknown, found: FindingId[]]>([
  ["a key in the query", ({ send }, key) => send(get("/v1/publisher/stats", `k=${key}`)), [url]],
  [
    "a key after a space",
    ({ send }, key) => send(get("/v1/click", `k=a%20${key}`)),
    [url, nowhere],
  ],
  ["a key in the path", ({ send }, key) => send(get(`/v1/${encoded(key)}`)), [url, nowhere]],
  ["a word like a key", ({ stats }) => stats({ surface: "monkey_0123456789abc" }), []],
  ["an unknown path", ({ send }) => send(get("/v1/stats")), [nowhere]],
  ["a wrong method", ({ send }) => send({ method: "PUT", path: "/v1/click" }), [nowhere]],
  ["a preflight", ({ send }) => send({ method: "OPTIONS", path: "/v1/click" }), []],
  ["a browser's own request", ({ send }) => send(get("/favicon.ico")), []],
  ["no session", ({ impression }) => impression(undefined), [bare]],
  ["no session, no ad", ({ impression }) => impression(undefined, ""), []],
  ["a limit of 101", (stage) => payouts(stage, "101"), ["limit-above-maximum"]],
  ["a limit of 100", (stage) => payouts(stage, "100"), []],
  ["a limit that is no number", (stage) => payouts(stage, "many"), []],
])("%s", (_, act, found) => {
  const stage = reportWorldOf();
  act(stage, stage.publisher.apiKey);
  expect(Object.keys(stage.found())).toEqual(found);
});

function payouts({ send, publisher }: ReportWorld, limit: string): unknown {
  return send(get("/v1/publisher/payouts", { publisher_id: publisher.id, limit }));
}

const refused = "refused-and-sent-again";

describe("a request that is refused for good, sent again unchanged", () => {
  test.each<[what: string, faults: readonly FaultRule[], sends: readonly string[], found: Found]>([
    ["three times", [], ["x", "x", "x"], { [refused]: [2, 3] }],
    ["twice", [], ["x", "x"], {}],
    ["with other parameters", [], ["x", "y", "z"], {}],
    ["by a fault rule, as other users might", [on(answer(400))], ["x", "x", "x"], {}],
  ])("%s", (_, faults, sends, found) => {
    for (const clock of ["flowing", "frozen"] as const) {
      const stage = reportWorldOf({ faults, clock });
      for (const from of sends) {
        stage.stats({ from });
        stage.wait(100_000);
      }
      expect(stage.found()).toEqual(found);
    }
  });

  test("is an event on a paused surface, but not without a session", () => {
    for (const [session, found] of [
      ["a", { [refused]: [2, 3] }],
      [undefined, { [bare]: [1, 2, 3] }],
    ] as const) {
      const stage = reportWorldOf();
      const { id, surfaces } = stage.publisher;
      for (const one of surfaces) stage.sim.publishers.setSurface(id, one.id, { status: "paused" });
      const body = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "a", session_id: session };
      stage.repeat(3, 200, () => stage.send({ method: "POST", path: "/v1/impression", body }));
      expect(stage.found()).toEqual(found);
    }
  });

  test("isn't a duplicate", () => {
    const body = { error: { code: "duplicate_impression" } };
    for (const options of [
      { assumptions: { "dedup.repeat": "conflict" } },
      { faults: [on({ kind: "respond", status: 409, body })] },
    ] as const) {
      const stage = reportWorldOf(options);
      stage.repeat(5, 1000, () => stage.impression("a"));
      expect(stage.found()).toEqual({});
    }
    const plain = reportWorldOf({ faults: [on(answer(409))] });
    plain.repeat(3, 1000, () => plain.impression("a"));
    expect(plain.found()).toEqual({ [refused]: [2, 3] });
  });

  test.each(["403", "503"] as const)("isn't a limit that answers %s", (choice) => {
    const assumptions = { "limit.exceeded": choice, "limit.retry-after": "absent" } as const;
    const stage = reportWorldOf({ assumptions });
    stage.repeat(70, 100, () => stage.stats());
    expect(stage.found()).not.toHaveProperty(refused);
  });
});
