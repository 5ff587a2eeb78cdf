/** What a recorded request would have got otherwise: the answers, and that asking changes nothing. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareAt } from "../../src/choices/compare-choices.ts";
import { recordedQuestion, whatIf } from "../../src/choices/what-if.ts";
import type { HostedCore } from "../../src/simulator/core.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import { runsOf } from "../budget.ts";
import { playIn } from "../choices/same-play.ts";
import { senderOf } from "../sender.ts";
import { ask, worldsOf } from "../worlds.ts";

/** A world with an impression, its duplicate, and a refused read of another publisher's stats. */
function stage(): Worlds {
  const worlds = worldsOf({ publishers: 3 });
  const world = worlds.get("default");
  const { impression, get } = senderOf(world, world.publishers.at(0));
  impression({ session_id: "s" });
  impression({ session_id: "s" });
  get("stats", { publisher_id: world.publishers.at(1).id });
  return worlds;
}

/** Asks, and expects that this changes nothing. */
function asked(worlds: Worlds, sequence: number, body: unknown = {}): Json {
  const before = stateOf(worlds);
  const { status, body: text } = ask(worlds, "POST", `/_sim/history/${sequence}/what-if`, body);
  expect(stateOf(worlds)).toBe(before);
  return { status, value: JSON.parse(text) };
}

/** JSON of a known shape. */
type Json = ReturnType<typeof JSON.parse>;

function stateOf(worlds: Worlds): string {
  const { journal, faults, clock, assumptions, snapshot } = worlds.get("default");
  const about = [journal.entries({ secrets: "shown" }), faults.list(), clock.now(), assumptions];
  return JSON.stringify([about, journal.changes(), snapshot(), worlds.metrics(), worlds.names()]);
}

test("without an alteration: every other choice, as the world was before the entry", () => {
  const worlds = stage();
  const world = worlds.get("default");
  const { status, value } = asked(worlds, 2);
  expect(status).toBe(200);
  const { sequence, ...comparison } = value;
  expect(sequence).toBe(2);
  const found = compareAt(recordedQuestion(world, 2));
  expect(comparison).toEqual(JSON.parse(JSON.stringify(found)));
  const refused = value.groups.find(({ answer }: Json) => answer.status === 409);
  expect(refused.choices).toEqual([{ key: "dedup.repeat", choice: "conflict" }]);
});

describe("an alteration", () => {
  test("fault: the rule is asked before all others, about this request", () => {
    const worlds = stage();
    worlds.get("default").faults.add({ id: "own", verdict: { kind: "drop" } });
    const world = worlds.get("default");
    senderOf(world, world.publishers.at(0)).impression({ session_id: "s" });
    const fault = { id: "own", match: { nth: 1 }, verdict: { kind: "respond", status: 503 } };
    expect(asked(worlds, 4, { fault }).value).toMatchObject({
      sequence: 4,
      before: { status: 0, received: "nothing", producedBy: "rule", reason: "fault: drop" },
      answer: { status: 503, received: "whole", producedBy: "rule", reason: "fault: respond" },
      differences: expect.arrayContaining(["status: 503 instead of 0"]),
    });
    // It doesn't decide on this one, so the world's own rule does.
    const other = { ...fault, match: { operation: "click" } };
    const missed = asked(worlds, 4, { fault: other }).value;
    expect(missed.answer).toEqual(missed.before);
    expect(missed.differences).toEqual([]);
  });

  test("advance: the request arrives later", () => {
    const worlds = stage();
    expect(asked(worlds, 2, { advance: "29m" }).value.answer.creditInr).toBe(0);
    const { value } = asked(worlds, 2, { advance: 1_800_000 });
    expect(value.before).toMatchObject({ status: 200, effect: "suppressed", creditInr: 0 });
    expect(value.answer).toMatchObject({ status: 200, effect: "applied" });
    expect(value.answer.creditInr).toBeGreaterThan(0);
  });

  test("request: its members take the place of the recorded ones, and the key stays", () => {
    const worlds = stage();
    const query = `publisher_id=${worlds.get("default").publishers.at(0).id}`;
    const { value } = asked(worlds, 3, { request: { query } });
    expect(value.before).toMatchObject({ status: 403, reason: "foreign_publisher" });
    expect(value.answer).toMatchObject({ status: 200, operation: "stats" });
    expect(value.differences[0]).toBe("status: 200 instead of 403");
    const withoutKey = asked(worlds, 3, { request: { headers: {} } }).value;
    expect(withoutKey.answer).toMatchObject({ status: 401, reason: "unauthorized" });
    const edited = { method: "POST", path: "/v1/impression", query: "", body: "{}" };
    expect(asked(worlds, 3, { request: edited }).value.answer).toMatchObject({ status: 400 });
  });
});

test("an entry that the journal dropped, and one that couldn't be read, can't be asked about", () => {
  const worlds = worldsOf({ publishers: 3, journalEntries: 2 });
  const world = worlds.get("default");
  const { impression } = senderOf(world, world.publishers.at(0));
  for (let sent = 0; sent < 4; sent += 1) impression();
  expect(asked(worlds, 1)).toMatchObject({ status: 404, value: { field: "sequence" } });
  world.handle({ method: "GET", path: "/v1/publisher/stats", headers: 5 as never });
  expect(asked(worlds, 5)).toMatchObject({ status: 409, value: { field: "sequence" } });
});

test("as things were, every recorded request gets its recorded answer", () => {
  fc.assert(
    fc.property(fc.gen(), (generate) => {
      // `createSimulator` adds `fetch` to the core.
      const core = playIn({ publishers: 3 }, generate).sim as unknown as HostedCore;
      for (const { sequence, fault, reason, response } of core.journal.entries().slice(-12)) {
        const unaltered = { kind: "request", members: {} } as const;
        const { before, differences } = whatIf(core, sequence, unaltered);
        expect(differences).toEqual([]);
        // Of a duplicated request, one of two entries has the answer.
        if (fault?.kind !== "duplicate") expect(before).toMatchObject({ ...response, reason });
      }
    }),
    { numRuns: runsOf(100, 10) },
  );
});
