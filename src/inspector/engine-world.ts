/**
 * Rebuilds a traced world by doing everything again through the ordinary paths, so that its journal, history, audit and report
 * are real ones. Checks each answer against the recorded one.
 */

import { LAST_INSTANT_MS } from "../base/calendar.ts";
import { fromBase64 } from "../base/text.ts";
import type { FaultFunction } from "../faults/rule.ts";
import { loadRuleList } from "../faults/rule-list.ts";
import { flawedRequest } from "../simulator/flawed-request.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import { repeatChange, type WorldChange } from "../simulator/world-change.ts";
import type { Worlds } from "../simulator/worlds.ts";
import type { ApiRequest } from "../spec/messages.ts";
import { sealSnapshot } from "../world/accounts/snapshot.ts";
import { Book } from "../world/ledger/book.ts";
import { createIds, type Ids } from "../world/publishers/ids.ts";
import {
  answerDigest,
  type SpecialRequest,
  type TracedChange,
  type TracedState,
  type TracedStep,
  type TracedText,
  type WorldTrace,
} from "./trace-form.ts";

/** What all worlds of an engine share, because they share their options. */
export interface EngineTime {
  /** Real time for clocks that aren't frozen. It stands still except while a world is rebuilt. */
  wallMs: number;
  /** What rules that are functions decide now, by the id of the rule. */
  decided: SpecialRequest | undefined;
}

type Sent = Extract<TracedStep, readonly ["sent", ...unknown[]]>;

/** A rule that is a function decides as recorded, and afterwards nothing. */
export function functionFor(id: string, time: EngineTime): FaultFunction {
  return () => (time.decided?.rule === id ? time.decided.verdict : undefined);
}

/** @returns what is to know about the rebuilt world, in sentences. */
export function rebuild(trace: WorldTrace, worlds: Worlds, time: EngineTime): readonly string[] {
  const outside = time.wallMs;
  time.wallMs = trace.begin.kind === "options" ? trace.begin.nowMs : trace.begin.state.clock.now;
  try {
    const world = begun(trace, worlds, time);
    const repeater = createRepeater(trace, world, time);
    for (const step of trace.steps) repeater.repeat(step);
    repeater.end();
    return [...leftOutNotes(trace), ...repeater.notes()];
  } finally {
    time.wallMs = outside;
    time.decided = undefined;
  }
}

/** The world where the trace begins. */
function begun({ name, begin, first }: WorldTrace, worlds: Worlds, time: EngineTime): HostedCore {
  if (begin.kind === "options") {
    const world = worlds.get(name);
    if (world.seed !== begin.seed) world.reset({ seed: begin.seed });
    return world;
  }
  // Replacing the state is a change by hand, so it happens in another world, of which this one is a fork.
  const origin = freeName(worlds);
  // Real time may be before the start that the options name, and then no world with a system clock could be made.
  time.wallMs = LAST_INSTANT_MS;
  const made = worlds.get(origin);
  time.wallMs = begin.state.clock.now;
  replaceState(made, begin.state, time);
  const world = worlds.fork(name, origin);
  worlds.delete(origin);
  world.journal.importRecords({ forgotten: first, records: [] });
  world.history.saveIfDue();
  return world;
}

function freeName(worlds: Worlds): string {
  let name = "origin";
  while (worlds.peek(name) !== undefined) name += "-";
  return name;
}

function replaceState(world: HostedCore, state: TracedState, time: EngineTime): void {
  const { accounts, clock, seed, faults, functions } = state;
  const functionOf = (id: string): FaultFunction | undefined =>
    functions.includes(id) ? functionFor(id, time) : undefined;
  const repetition = world.beginAt({
    sequence: 0,
    changeCount: 0,
    hasChanges: false,
    isStart: false,
    follows: false,
    copy: {
      state: { ...state, accounts: accounts.map((one) => ({ ...one, book: Book.load(one.book) })) },
      rules: loadRuleList(seed, faults, () => undefined, functionOf),
      bytes: 0,
    },
  });
  // Nothing is repeated there. From now on functions are asked.
  repetition.end(undefined);
  repetition.world.clock.set({ mode: clock.mode, nowMs: clock.now });
  world.adopt(repetition.world);
}

interface Repeater {
  repeat(step: TracedStep): void;
  end(): void;
  notes(): readonly string[];
}

/** Most numbers in a sentence. */
const MAX_LISTED = 10;

function createRepeater(
  { begin, heads, first, nowMs: endMs }: WorldTrace,
  world: HostedCore,
  time: EngineTime,
): Repeater {
  const { clock, journal } = world;
  const differing: number[] = [];
  const notes: string[] = [];
  // A clock that ran shows its start when it is created, and a later time when the first state is saved.
  let atMs = begin.kind === "options" ? begin.nowMs : clock.now();
  let latest = first;
  let keys: { readonly seed: string; readonly codec: Ids["apiKey"] } | undefined;

  function passTo(instantMs: number): void {
    atMs = instantMs;
    const byMs = instantMs - clock.now();
    if (byMs <= 0) return;
    if (clock.mode === "frozen") clock.advance(byMs);
    else time.wallMs += byMs;
  }
  function check(recorded: string): void {
    latest += 1;
    const record = journal.recordAt(latest);
    if (record !== undefined && answerDigest(record) !== recorded) differing.push(latest);
  }
  function send([, sinceMs, head, query, body, recorded, special]: Sent): void {
    passTo(atMs + sinceMs);
    time.decided = special;
    const answer = world.handle(requestOf(head, query, body, special?.flaw));
    time.decided = undefined;
    if (special?.left === true) answer.delivery?.undelivered();
    check(recorded);
  }
  function requestOf(
    place: number,
    query: Sent[3],
    body: Sent[4],
    flaw: number | undefined,
  ): ApiRequest {
    const { method, path, headers } = heads[place] ?? { method: "", path: "", headers: [] };
    const parts = { method, path: filled(path) };
    if (flaw !== undefined) return flawedRequest(flaw, parts);
    return {
      ...parts,
      query: filled(query),
      headers: Object.fromEntries(headers.map(([name, value]) => [name, filled(value)])),
      body: typeof body === "object" && "base64" in body ? fromBase64(body.base64) : filled(body),
    };
  }
  function filled(text: TracedText): string {
    if (typeof text === "string") return text;
    const { seed, assumptions } = world;
    // Another state may have another seed. The form of keys depends on nothing else.
    if (keys?.seed !== seed) keys = { seed, codec: createIds(seed, assumptions).apiKey };
    const { codec } = keys;
    return text
      .map((part) => (typeof part === "string" ? part : codec.encode(part[0], part[1])))
      .join("");
  }
  function change(sinceMs: number, given: TracedChange): void {
    const changedMs = atMs + sinceMs;
    if (given.kind === "advance") {
      passTo(changedMs - given.byMs);
      clock.advance(given.byMs);
    } else if (given.kind === "set-clock") {
      clock.set({ mode: given.mode, nowMs: given.nowMs });
    } else {
      passTo(changedMs);
      repeatChange(world, withRule(given, time));
    }
    atMs = changedMs;
  }
  function replace(sinceMs: number, by: "restore" | "play", state: TracedState): void {
    passTo(atMs + sinceMs);
    const { functions, faults } = state;
    atMs = state.clock.now;
    if (by === "play") {
      replaceState(world, state, time);
      return;
    }
    // Where the trace began with a time ahead of real time, real time was taken to be that.
    time.wallMs = atMs;
    // A restored state has no functions: they were added since then.
    const end = faults.rules.findIndex(({ rule }) => functions.includes(rule.id));
    const rules = end === -1 ? faults.rules : faults.rules.slice(0, end);
    const added = faults.added - (faults.rules.length - rules.length);
    world.restore(sealSnapshot(snapshotState(state, { added, rules })));
    for (const { rule } of faults.rules.slice(rules.length))
      world.faults.add(functions.includes(rule.id) ? functionFor(rule.id, time) : rule);
  }

  return {
    repeat(step) {
      try {
        if (step[0] === "sent") send(step);
        else if (step[0] === "again") check(step[1]);
        else if (step[0] === "changed") change(step[1], step[2]);
        else replace(step[1], step[2], step[3]);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        notes.push(`After entry ${latest} something couldn't be done again: ${why}`);
      }
    },
    end() {
      passTo(Math.max(endMs, clock.now()));
      if (clock.mode === "frozen") return;
      world.standStill();
      notes.push("The clock ran. In this file it stands still until you advance it.");
    },
    notes: () => [...notes, ...(differing.length > 0 ? [differenceNote(differing)] : [])],
  };
}

function withRule(change: TracedChange, time: EngineTime): WorldChange {
  if (change.kind !== "fault") return change;
  return { ...change, rule: change.rule ?? functionFor(change.id, time) };
}

function snapshotState(
  { functions: _, ...state }: TracedState,
  faults: TracedState["faults"],
): Parameters<typeof sealSnapshot>[0] {
  return { ...state, faults };
}

function differenceNote(differing: readonly number[]): string {
  const shown = differing.slice(0, MAX_LISTED).join(", ");
  const more = differing.length > MAX_LISTED ? ` and ${differing.length - MAX_LISTED} more` : "";
  return `Done again, these requests got other answers than the recorded ones: ${shown}${more}.`;
}

function leftOutNotes({ leftOut, redacted, first }: WorldTrace): string[] {
  const notes: string[] = [];
  if (leftOut > 0) {
    notes.push(
      `The recording begins after entry ${first}. ${leftOut} earlier entries can't be rebuilt.`,
    );
  }
  if (redacted > 0) {
    notes.push(`In ${redacted} requests, text that may be secret was replaced before saving.`);
  }
  return notes;
}
