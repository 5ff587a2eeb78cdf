/** The events of a world in process: what there is now, and what follows. */

import { describe, expect, test } from "vitest";
import type { ListedExchange } from "../../src/control/listed-exchange.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { FollowedResponse } from "../../src/spec/messages.ts";
import { senderOf } from "../operation-sender.ts";
import { eventsIn, type ReceivedEvent, sequencesOf } from "../server/event-reader.ts";
import { worldsOf } from "../worlds.ts";

function follow(worlds: Worlds, query = "", id?: string): FollowedResponse {
  const headers = id === undefined ? {} : { "last-event-id": id };
  return worlds.handle({ method: "GET", path: `/_sim/events${query}`, headers });
}
function read(worlds: Worlds, query = "", id?: string): ReceivedEvent[] {
  const { status, body } = follow(worlds, query, id);
  expect(status, body).toBe(200);
  return eventsIn(body);
}
/** Returns a function that returns the events since its last call. */
function open(worlds: Worlds, query = ""): () => ReceivedEvent[] {
  const { body, more } = follow(worlds, query);
  let first: string | undefined = body;
  return () => {
    const text = `${first ?? ""}${more?.()}`;
    first = undefined;
    return eventsIn(text);
  };
}
const textsIn = (event: ReceivedEvent | undefined): string[] =>
  ((event?.data ?? []) as { text: string }[]).map(({ text }) => text);
function fill(worlds: Worlds, count: number): void {
  const { nowhere } = senderOf(worlds.get("default"));
  for (let index = 0; index < count; index += 1) nowhere();
}
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("the rows are the journal's entries without headers and bodies", () => {
  const worlds = worldsOf();
  const world = worlds.get("default");
  world.faults.add({ id: "lossy", match: { nth: 2 }, verdict: { kind: "lose-response" } });
  const { impression, stats, nowhere } = senderOf(world);
  impression("a");
  impression("a");
  stats();
  nowhere();
  const { headers, body } = follow(worlds);
  expect(headers).toMatchObject({
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
    "cache-control": "no-store",
    "x-ratelimit-remaining": "60",
  });
  expect(headers).not.toHaveProperty("content-length");
  const kept = { producedBy: "service", publisher: world.publishers.at(0).id };
  const fault = { rule: "lossy", kind: "lose-response", served: true, received: "nothing" };
  expect(eventsIn(body)[1]?.data).toMatchObject([
    { ...kept, sequence: 1, status: 200, effect: "applied", remaining: 9999 },
    { ...kept, sequence: 2, status: 0, effect: "suppressed", remaining: 9998, fault },
    { ...kept, sequence: 3, operation: "stats", method: "GET", path: "/v1/publisher/stats" },
    { sequence: 4, status: 404, reason: "route_not_found", detail: expect.any(String) },
  ]);
  expect(body).not.toMatch(/"headers"|"body"/);
});

test("a row names the publisher on whose ledger an event is, if another one's key was sent", () => {
  const worlds = worldsOf({ assumptions: { "auth.key-scope": "any" } });
  const world = worlds.get("default");
  const [{ apiKey }, other] = [world.publishers.at(0), world.publishers.at(1)];
  senderOf(world, { ...other, apiKey }).impression("a");
  senderOf(world, other).impression("b");
  const rows = read(worlds)[0]?.data as ListedExchange[];
  expect(rows.map(({ concerns }) => concerns)).toEqual([other.id, undefined]);
});

test("impressions and clicks say which event they are about", () => {
  const worlds = worldsOf();
  const world = worlds.get("default");
  const { id, apiKey, surfaces } = world.publishers.at(0);
  const spot = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad-1" };
  const send = (path: string, body: Record<string, unknown>): string =>
    world.handle({ method: "POST", path, headers: { authorization: `Bearer ${apiKey}` }, body })
      .body;
  const { impression_id } = JSON.parse(send("/v1/impression", { ...spot, session_id: "s-1" }));
  send("/v1/impression", { ...spot, session_id: "s-1" });
  send("/v1/click", { impression_id });
  send("/v1/impression", { ...spot, session_id: "s-2" });
  send("/v1/impression", { publisher_id: 5, surface: null });
  send("/v1/nothing", { publisher_id: id });
  const rows = read(worlds)[0]?.data as ListedExchange[];
  expect(rows.map(({ event }) => event)).toMatchObject([
    { ...spot, session_id: "s-1", impression_id },
    { ...spot, session_id: "s-1" },
    { impression_id },
    { session_id: "s-2", impression_id: expect.stringMatching(/^imp_/) },
    { publisher_id: "5" },
    undefined,
  ]);
  const keys = rows.map(({ eventKey }) => eventKey);
  expect(keys[0]).toBe(keys[1]);
  expect(new Set(keys.slice(0, 4)).size).toBe(3);
  expect(keys.slice(4)).toEqual([undefined, undefined]);
});

test.each([
  ["", range(1, 7)],
  ["?after=0", range(1, 7)],
  ["?after=5", [6, 7]],
  ["?after=7", []],
])("events%s have the rows %j, also for a client that has the first two", (query, expected) => {
  const worlds = worldsOf();
  fill(worlds, 2);
  const id = read(worlds)[0]?.id;
  fill(worlds, 5);
  const events = read(worlds, query);
  expect(sequencesOf(events)).toEqual(expected);
  expect(events.map(({ event }) => event)).not.toContain("restarted");
  // What it has counts more than what it asked for at first.
  const rest = read(worlds, query, id);
  expect(rest.map(({ event }) => event)).toEqual(["exchanges"]);
  expect(sequencesOf(rest)).toEqual(range(3, 7));
});

test("a client without rows gets those that are kept, and isn't told to forget any", () => {
  const worlds = worldsOf({ journalEntries: 10 });
  fill(worlds, 30);
  const [rows, ...others] = read(worlds);
  expect([rows?.event, others]).toEqual(["exchanges", []]);
  expect(sequencesOf(rows ? [rows] : [])).toEqual(range(21, 30));
});

test("an answer has at most 10,000 rows, and whoever asks again gets the others", () => {
  const worlds = worldsOf({ journalEntries: 20_000 });
  fill(worlds, 10_003);
  const events = read(worlds, "?follow=false");
  expect(sequencesOf(events)).toEqual(range(1, 10_000));
  expect(sequencesOf(read(worlds, "", events[0]?.id))).toEqual(range(10_001, 10_003));
});

describe("a client whose rows are outdated is told to forget them, and gets those that are kept", () => {
  const fillAnew = (worlds: Worlds): void => {
    worlds.get("default").reset();
    fill(worlds, 10);
  };
  test.each<[string, (worlds: Worlds) => void, kept: number[]]>([
    ["the world was reset", (worlds) => worlds.get("default").reset(), []],
    ["the world was reset, and has as many entries again", fillAnew, range(1, 10)],
    ["the journal was cleared", (worlds) => worlds.get("default").journal.clear(), []],
    ["the journal has dropped some that it lacks", (worlds) => fill(worlds, 20), range(21, 30)],
  ])("%s, while it was away or while it follows", (_, change, kept) => {
    const worlds = worldsOf({ journalEntries: 10 });
    fill(worlds, 10);
    const more = open(worlds);
    const id = more()[0]?.id;
    change(worlds);
    for (const events of [read(worlds, "", id), more()]) {
      expect(events[0]).toMatchObject({ event: "restarted", data: {} });
      expect(sequencesOf(events)).toEqual(kept);
    }
  });

  test("an id of another server, of a deleted world, or of none says nothing about its rows", () => {
    const worlds = worldsOf();
    fill(worlds, 7);
    const old = read(worlds)[0]?.id;
    worlds.delete("default");
    fill(worlds, 7);
    for (const id of [old, "5.f00-1-0", "5", "5.", "x", "-1", "__proto__"]) {
      const events = read(worlds, "", id);
      expect(events[0]?.event).toBe("restarted");
      expect(sequencesOf(events)).toEqual(range(1, 7));
    }
  });
});

test("a stream ends when its world is deleted, even if another one takes its name", () => {
  const worlds = worldsOf();
  worlds.get("default");
  const { more } = follow(worlds);
  expect(more?.()).toBe("");
  worlds.delete("default");
  worlds.get("default");
  expect(more?.()).toBeUndefined();
});

describe("changes by hand", () => {
  test("come once, before the rows, with the entry after which they were made, the time and a sentence", () => {
    const worlds = worldsOf();
    const { clock, publishers, assume, reset } = worlds.get("default");
    const more = open(worlds);
    fill(worlds, 2);
    clock.advance("1h");
    publishers.signUp({ name: "Acme" });
    fill(worlds, 1);
    assume({ "dedup.repeat": "conflict" });
    const [changes, rows] = more();
    expect(rows).toMatchObject({ id: expect.stringMatching(/^3\./), event: "exchanges" });
    expect(changes).toMatchObject({
      id: expect.stringMatching(/^0\./),
      event: "changes",
      data: [
        {
          ...{ number: 1, after: 2, at: "2026-01-15T01:00:00.000Z", text: "clock advanced by 1 h" },
          change: { kind: "advance", byMs: 3_600_000 },
        },
        { number: 2, after: 2, change: { kind: "sign-up" } },
        { number: 3, after: 3, text: "assumptions set: dedup.repeat=conflict" },
      ],
    });
    expect(more()).toEqual([]);
    reset();
    clock.advance("2m");
    expect(more()).toMatchObject([
      { event: "restarted" },
      { event: "changes", data: [{ after: 0, change: { byMs: 120_000 } }] },
    ]);
  });

  test("are said in words", () => {
    const worlds = worldsOf();
    const { clock, faults, publishers } = worlds.get("default");
    clock.set({ nowMs: Date.UTC(2026, 1) });
    faults.add({ id: "gone", verdict: { kind: "drop" } });
    faults.add(() => undefined);
    faults.clear();
    const { id, surfaces } = publishers.rotateKey(publishers.at(0).id);
    const surface = surfaces[0]?.id ?? "";
    publishers.setSurface(id, surface, { status: "paused", cpmRange: [1, 2] });
    expect(textsIn(read(worlds)[0])).toEqual([
      "clock set to 2026-02-01T00:00:00.000Z, frozen",
      "fault rule gone added",
      "fault rule rule-2 added",
      "all fault rules removed",
      `key of ${id} rotated`,
      `surface ${surface}: paused, cpm_range 1 to 2`,
    ]);
  });

  test("contain no keys", () => {
    const worlds = worldsOf();
    const { publishers } = worlds.get("default");
    const { id, apiKey } = publishers.at(0);
    const keys = [apiKey, publishers.rotateKey(id).apiKey, publishers.signUp({}).apiKey];
    const { body } = follow(worlds);
    expect(body).toContain("rotated");
    for (const key of keys) expect(body).not.toContain(key);
  });
});
