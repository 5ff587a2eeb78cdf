/** Rules that are functions: what they see, what they may do, and what they may return. */

import { expect, test } from "vitest";
import { createSimulator, type FaultRequest, type Verdict } from "../../src/index.ts";
import { mark, marked, senderOf } from "../operation-sender.ts";

test("a function sees the request as it was sent, with its number", () => {
  const sim = createSimulator({ start: "2026-03-01T00:00:00Z" });
  const { publisher } = senderOf(sim);
  const surface = publisher.surfaces[0]?.id;
  const seen: FaultRequest[] = [];
  sim.faults.add((request) => void seen.push(request));
  const body = JSON.stringify({ publisher_id: publisher.id, surface, ad_id: "ß" });
  const authorization = `Bearer ${publisher.apiKey}`;
  const headers = { Authorization: authorization, "Content-Type": "application/json" };
  const bytes = new TextEncoder().encode(body);
  sim.handle({ method: "POST", path: "/v1/impression?a=b", headers, body: bytes });
  sim.handle({ method: "GET", path: "/", query: { x: 1 } });
  const nowMs = Date.UTC(2026, 2, 1);
  expect(seen.map((request) => ({ ...request }))).toEqual([
    {
      ...{ number: 1, nowMs, method: "POST", path: "/v1/impression", query: "a=b", body },
      headers: { authorization, "content-type": "application/json" },
      ...{ operation: "impression", publisher: publisher.id, surface },
    },
    {
      ...{ number: 1, nowMs, method: "GET", path: "/", query: "x=1", body: "", headers: {} },
      ...{ operation: undefined, publisher: undefined, surface: undefined },
    },
  ]);
});

test("a function sees no surface where the parameters aren't valid", () => {
  const sim = createSimulator();
  const { publisher, click } = senderOf(sim);
  const surfaces: unknown[] = [];
  sim.faults.add(({ surface }) => void surfaces.push(surface));
  const body = { surface: publisher.surfaces[0]?.id };
  sim.handle({ method: "POST", path: "/v1/impression", body });
  click("imp_x");
  expect(surfaces).toEqual([undefined, undefined]);
});

test("a function decides by what it sees, and is numbered separately for each publisher", () => {
  const sim = createSimulator();
  sim.faults.add(({ number, path }) => (number === 2 && path === "/nowhere" ? mark : undefined));
  for (const ordinal of [0, 1]) {
    expect(marked(3, senderOf(sim, sim.publishers.at(ordinal)).nowhere)).toEqual([2]);
  }
});

test("a function can't change the request", () => {
  const sim = createSimulator();
  const { impression } = senderOf(sim);
  sim.faults.add((request) => {
    Object.assign(request.headers, { authorization: "Bearer x" });
    Object.assign(request, { path: "/", body: "", operation: undefined });
    return undefined;
  });
  expect(impression().status).toBe(200);
});

test.each<[Verdict, number]>([
  [{ kind: "truncate", share: 0.5, atByte: undefined }, 0.5],
  [{ kind: "truncate", share: undefined, atByte: 0 }, 0],
])("a function may leave a member undefined: %o", (verdict, part) => {
  const sim = createSimulator();
  const { nowhere } = senderOf(sim);
  const { length } = nowhere().body;
  sim.faults.add(() => verdict);
  expect(nowhere().body).toHaveLength(Math.floor(length * part));
});

test("a function may remove itself and add a rule, which takes effect with the next request", () => {
  const sim = createSimulator();
  const { nowhere } = senderOf(sim);
  const stop = sim.faults.add(() => {
    stop();
    sim.faults.add({ match: { nth: 1 }, verdict: { kind: "respond", status: 502 } });
    return mark;
  });
  expect([1, 2, 3].map(() => nowhere().status)).toEqual([599, 502, 404]);
});

const error = new Error("of the user");

test.each<[what: string, decide: () => unknown, told: Error | RegExp]>([
  ["an error", raise, error],
  ["null", () => null, /faults\.rule-1 returned an invalid verdict: must be an object/],
  [
    "a wrong kind",
    () => ({ kind: "dorp" }),
    /rule-1 returned an invalid verdict: kind must be one/,
  ],
  ["a wrong status", () => ({ kind: "respond", status: 1 }), /verdict: status must be a whole/],
  ["a promise", async () => mark, /faults\.rule-1 returned a promise/],
])("%s: the caller gets an error, every rule has counted, and nothing was recorded", (...row) => {
  const [, decide, told] = row;
  const sim = createSimulator();
  const { impression, stats } = senderOf(sim);
  sim.faults.add(() => decide() as Verdict);
  sim.faults.add({ match: { operation: "impression" }, verdict: mark });
  expect(impression).toThrow(told);
  expect(sim.faults.list()).toMatchObject([
    { seen: 1, fired: 0 },
    { seen: 1, fired: 0 },
  ]);
  expect(sim.journal.entries()).toEqual([]);
  sim.faults.clear();
  expect(stats().body).toBe(senderOf(createSimulator()).stats().body);
});

function raise(): never {
  throw error;
}
