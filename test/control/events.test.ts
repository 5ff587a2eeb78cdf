/** The events of a world in process: what there is now, and then the end. */

import { describe, expect, test } from "vitest";
import { createEventStream } from "../../src/control/event-stream.ts";
import type { ListedExchange } from "../../src/control/listed-exchange.ts";
import type { JournalEntry } from "../../src/index.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { senderOf } from "../operation-sender.ts";
import { eventsIn, type ReceivedEvent, sequencesOf } from "../server/event-reader.ts";
import { ask, worldsOf } from "../worlds.ts";

function follow(worlds: Worlds, query = "", headers: Record<string, string> = {}): ApiResponse {
  return worlds.handle({ method: "GET", path: `/_sim/events${query}`, headers });
}
function fill(worlds: Worlds, count: number, name = "default"): void {
  const { nowhere } = senderOf(worlds.get(name));
  for (let index = 0; index < count; index += 1) nowhere();
}
const sequencesFrom = (response: ApiResponse): number[] => sequencesOf(eventsIn(response.body));
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("the rows are what an observer of the journal gets, without headers and bodies", () => {
  const worlds = worldsOf();
  const seen: JournalEntry[] = [];
  const world = worlds.get("default");
  world.journal.observe((entry) => seen.push(entry));
  world.faults.add({ id: "lossy", match: { nth: 2 }, verdict: { kind: "lose-response" } });
  const { impression, stats, nowhere } = senderOf(world);
  impression("a");
  impression("a");
  stats();
  nowhere();
  const remaining = [9999, 9998, 59, 59];
  const response = follow(worlds);
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
    "cache-control": "no-store",
    "x-ratelimit-remaining": "60",
  });
  expect(response.headers).not.toHaveProperty("content-length");
  const events = eventsIn(response.body).filter(({ event }) => event === "exchanges");
  const rows = seen.map(({ request, response, fault, ...facts }, index) => {
    const { method, path, query } = request;
    const shown = { ...facts, method, path, query, status: response.status };
    const acted = fault && { rule: fault.rule, kind: fault.kind };
    return JSON.parse(JSON.stringify({ ...shown, fault: acted, remaining: remaining[index] }));
  });
  const withoutEvents = events.map(({ data, ...event }) => {
    return {
      ...event,
      data: (data as ListedExchange[]).map(({ event: _, eventKey: __, ...row }) => row),
    };
  });
  expect(withoutEvents).toEqual([{ id: "4.1-0", event: "exchanges", data: rows }]);
});

test("impressions and clicks say which event they are about", () => {
  const worlds = worldsOf();
  const world = worlds.get("default");
  const { id, apiKey, surfaces } = world.publishers.at(0);
  const surface = surfaces[0]?.id;
  const send = (path: string, body: object): ApiResponse =>
    world.handle({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { impression_id } = JSON.parse(
    send("/v1/impression", { publisher_id: id, surface, ad_id: "ad-1", session_id: "s-1" }).body,
  );
  send("/v1/click", { impression_id });
  send("/v1/impression", { publisher_id: id, surface, ad_id: apiKey, session_id: "x".repeat(300) });
  send("/v1/impression", { publisher_id: 5, surface: null });
  send("/v1/nothing", { publisher_id: id });
  const [found] = eventsIn(follow(worlds).body).filter(({ event }) => event === "exchanges");
  const rows = found?.data as ListedExchange[];
  expect(rows.map(({ event }) => event)).toEqual([
    { publisher_id: id, surface, ad_id: "ad-1", session_id: "s-1", impression_id },
    { impression_id },
    {
      publisher_id: id,
      surface,
      ad_id: apiKey,
      session_id: "x".repeat(250),
      impression_id: expect.stringMatching(/^imp_/),
    },
    { publisher_id: "5" },
    undefined,
  ]);
});

test.each([
  ["", {}, range(1, 7)],
  ["?after=0", {}, range(1, 7)],
  ["?after=5", {}, [6, 7]],
  ["?after=7", {}, []],
  ["?after=2", { "last-event-id": "6.1-0" }, [7]],
  ["?after=2", { "last-event-id": "" }, range(3, 7)],
])("events%s with %j have the rows %j", (query, headers, expected) => {
  const worlds = worldsOf();
  fill(worlds, 7);
  const response = follow(worlds, query, headers);
  expect(sequencesFrom(response)).toEqual(expected);
  expect(response.body).not.toContain("restarted");
});

test.each(["x", "-1", "1.5.5", "1e3", "9".repeat(16), "1, 2", "%00", "__proto__"])(
  "Last-Event-ID: %s is refused",
  (id) => {
    const response = follow(worldsOf(), "", { "last-event-id": id });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body).field).toBe("last-event-id");
  },
);

test("an answer has at most 10,000 rows, and its id is the last of them: whoever asks again gets the others", () => {
  const worlds = worldsOf({ journalEntries: 20_000 });
  fill(worlds, 10_003);
  const events = eventsIn(follow(worlds, "?follow=false").body);
  expect(events.map(({ id }) => id)).toEqual(["10000.1-0"]);
  expect(sequencesOf(events)).toEqual(range(1, 10_000));
  const more = follow(worlds, "?follow=false", { "last-event-id": "10000.1-0" });
  expect(sequencesFrom(more)).toEqual(range(10_001, 10_003));
});

describe("a client whose rows are outdated is told to forget them, and gets those that are kept", () => {
  function recreate(worlds: Worlds): void {
    worlds.delete("mine");
    fill(worlds, 10, "mine");
  }
  test.each<[string, (worlds: Worlds) => unknown, number]>([
    ["the world was deleted and made again", recreate, 1],
    [
      "the world was reset, and has as many entries again",
      (worlds) => {
        worlds.get("mine").reset();
        fill(worlds, 7, "mine");
      },
      1,
    ],
    ["the journal was cleared", (worlds) => worlds.get("mine").journal.clear(), 11],
    ["the journal has dropped some that it lacks", (worlds) => fill(worlds, 20, "mine"), 21],
    ["the world was reset", (worlds) => worlds.get("mine").reset(), 1],
  ])("%s", (_, change, first) => {
    const worlds = worldsOf({ journalEntries: 10 });
    const read = (headers: Record<string, string> = {}): ReceivedEvent[] =>
      eventsIn(worlds.handle({ method: "GET", path: "/@mine/_sim/events", headers }).body);
    fill(worlds, 10, "mine");
    const [, state] = read()[0]?.id?.split(".") ?? [];
    change(worlds);
    // Another client has all. That says nothing about this one.
    read();
    const { total } = worlds.get("mine").journal;
    const events = read({ "last-event-id": `5.${state}` });
    expect(events[0]).toMatchObject({ event: "restarted", data: {} });
    expect(events[0]?.id).toMatch(new RegExp(`^${first - 1}\\.`));
    expect(sequencesOf(events)).toEqual(range(first, total));
  });

  test("an id of another server, or one without a mark, says nothing about its rows", () => {
    const worlds = worldsOf();
    fill(worlds, 7);
    for (const id of ["5.f00-1-0", "5", "5.", "7"]) {
      const events = eventsIn(follow(worlds, "", { "last-event-id": id }).body);
      expect(events[0]?.event).toBe("restarted");
      expect(sequencesOf(events)).toEqual(range(1, 7));
    }
  });

  test("a client without rows isn't", () => {
    const worlds = worldsOf({ journalEntries: 10 });
    fill(worlds, 30);
    const events = eventsIn(follow(worlds).body);
    expect(events.map(({ event }) => event)).toEqual(["exchanges"]);
    expect(sequencesOf(events)).toEqual(range(21, 30));
  });
});

test("with the journal off there are no rows", () => {
  const worlds = worldsOf({ journalEntries: 0 });
  fill(worlds, 3);
  expect(eventsIn(follow(worlds).body)).toEqual([]);
});

test("following creates a world, as other requests do; coming back to a deleted one doesn't", () => {
  const worlds = worldsOf();
  expect(ask(worlds, "GET", "/@new/_sim/events").status).toBe(200);
  expect(worlds.names()).toContain("new");
  worlds.delete("new");
  const back = { method: "GET", path: "/@new/_sim/events", headers: { "last-event-id": "3" } };
  expect(worlds.handle(back)).toMatchObject({ status: 204, body: "" });
  expect(worlds.names()).not.toContain("new");
  // The world `default` is always there.
  expect(follow(worlds, "", { "last-event-id": "0" }).status).toBe(200);
});

test("a refused or finished request leaves nothing behind", () => {
  const worlds = worldsOf();
  fill(worlds, 3);
  for (let count = 0; count < 300; count += 1) {
    expect(follow(worlds).status).toBe(200);
    expect(worlds.handle({ method: "HEAD", path: "/_sim/events" })).toMatchObject({
      status: 200,
      body: "",
    });
    expect(follow(worlds, "?after=x").status).toBe(400);
  }
});

describe("changes by hand", () => {
  const textsIn = (body: string): string[] =>
    eventsIn(body)
      .filter(({ event }) => event === "changes")
      .flatMap(({ data }) => (data as { text: string }[]).map(({ text }) => text));

  test("come with the entry after which they were made, the time, and a sentence", () => {
    const worlds = worldsOf();
    const world = worlds.get("default");
    fill(worlds, 2);
    world.clock.advance("1h");
    world.publishers.signUp({ name: "Acme" });
    fill(worlds, 1);
    world.assume({ "dedup.repeat": "conflict" });
    const [changes, rows] = eventsIn(follow(worlds).body);
    expect(rows).toMatchObject({ id: "3.1-0", event: "exchanges" });
    expect(changes).toMatchObject({
      id: "0.1-0",
      event: "changes",
      data: [
        { after: 2, at: "2026-01-15T01:00:00.000Z", change: { kind: "advance", byMs: 3_600_000 } },
        { after: 2, change: { kind: "sign-up" } },
        { after: 3, change: { kind: "assume" }, text: expect.stringContaining("dedup.repeat") },
      ],
    });
    expect(textsIn(follow(worlds).body)[0]).toBe("clock advanced by 1 h");
  });

  test("before the rows that a client has aren't repeated, and none after them is missing", () => {
    const worlds = worldsOf();
    const { clock } = worlds.get("default");
    for (const minutes of [1, 2, 3, 4]) {
      clock.advance(`${minutes}m`);
      fill(worlds, 1);
    }
    const texts = textsIn(follow(worlds, "?after=2").body);
    expect(texts).toEqual(["clock advanced by 3 min", "clock advanced by 4 min"]);
  });

  test("contain no keys", () => {
    const worlds = worldsOf();
    const { publishers } = worlds.get("default");
    const { id, apiKey } = publishers.at(0);
    const rotated = publishers.rotateKey(id);
    const added = publishers.signUp({ name: "Acme" });
    const { body } = follow(worlds);
    expect(textsIn(body)).toHaveLength(2);
    for (const key of [apiKey, rotated.apiKey, added.apiKey]) expect(body).not.toContain(key);
  });
});

describe("an open stream", () => {
  /** Returns the text since the last call. */
  function openStream(worlds: Worlds): () => string {
    const world = worlds.get("default");
    const stateNow = (): string => `1-${world.journal.restarts}`;
    return createEventStream({ world, after: 0, state: stateNow(), stateNow });
  }

  test("says which entries the journal dropped, before it sends the next ones", () => {
    const worlds = worldsOf({ journalEntries: 10 });
    const more = openStream(worlds);
    fill(worlds, 8);
    more();
    fill(worlds, 5);
    expect(eventsIn(more())).toMatchObject([
      { id: "8.1-0", event: "forgotten", data: { through: 3 } },
      { id: "13.1-0", event: "exchanges", data: { length: 5 } },
    ]);
    expect(more()).toBe("");
  });

  test("sends each change by hand once", () => {
    const worlds = worldsOf();
    const { clock, faults } = worlds.get("default");
    const more = openStream(worlds);
    expect(more()).toBe("");
    clock.advance("1m");
    faults.add({ id: "gone", verdict: { kind: "drop" } });
    expect(eventsIn(more())).toMatchObject([
      { event: "changes", data: [{ change: { kind: "advance" } }, { change: { kind: "fault" } }] },
    ]);
    fill(worlds, 1);
    faults.clear();
    const [change, row] = eventsIn(more());
    expect(change).toMatchObject({ id: "0.1-0", data: [{ after: 1, change: { kind: "heal" } }] });
    expect(row).toMatchObject({ id: "1.1-0", event: "exchanges" });
    expect(more()).toBe("");
    worlds.get("default").reset();
    clock.advance("2m");
    expect(eventsIn(more())).toMatchObject([
      { event: "restarted" },
      { event: "changes", data: [{ after: 0, change: { byMs: 120_000 } }] },
    ]);
  });

  test.each<[string, (worlds: Worlds) => void, number[]]>([
    ["the journal is cleared", (worlds) => worlds.get("default").journal.clear(), []],
    ["the world is reset", (worlds) => worlds.get("default").reset(), []],
    [
      "the world is reset and used at once",
      (worlds) => {
        worlds.get("default").reset();
        fill(worlds, 8);
      },
      range(1, 8),
    ],
    ["more happens than the journal keeps", (worlds) => fill(worlds, 25), range(21, 30)],
  ])("starts over when %s", (_, change, kept) => {
    const worlds = worldsOf({ journalEntries: 10 });
    fill(worlds, 5);
    const more = openStream(worlds);
    expect(sequencesOf(eventsIn(more()))).toEqual(range(1, 5));
    change(worlds);
    const after = eventsIn(more());
    expect(after[0]?.event).toBe("restarted");
    expect(sequencesOf(after)).toEqual(kept);
    fill(worlds, 1);
    expect(eventsIn(more()).at(-1)).toMatchObject({ event: "exchanges", data: [{ status: 404 }] });
  });

  test("ends when its world is deleted, even if another one takes its name", async () => {
    const worlds = worldsOf();
    const { more } = await worlds.begin({ method: "GET", path: "/@mine/_sim/events" });
    expect(more?.()).toBe("");
    worlds.delete("mine");
    worlds.get("mine");
    expect(more?.()).toBeUndefined();
  });
});
