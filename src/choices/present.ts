/** A copy of a world at a moment, to ask what a request would get there, and how rules that are functions decide meanwhile. */

import { InputError } from "../base/input.ts";
import type { FunctionStandIn } from "../faults/rules.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { HostedCore, SimulatorCore } from "../simulator/core.ts";
import type { Moment } from "../simulator/past.ts";
import { verdictIn } from "../simulator/replay.ts";
import type { ApiRequest } from "../spec/messages.ts";

/** A request to ask about, and when. */
export interface Question {
  readonly core: HostedCore;
  readonly moment: Moment | "now";
  readonly request: ApiRequest;
  /** Decides on it in place of rules that are functions. */
  readonly decide: FunctionStandIn;
}

/** @throws InputError unless its past can be repeated. */
export function hosted(sim: SimulatorCore): HostedCore {
  if (!isHosted(sim)) throw new InputError("sim", "must be a simulator made by createSimulator");
  if (sim.journal.capacity > 0) return sim;
  throw new InputError(
    "sim",
    "has its journal off (journalEntries is 0), so what an answer depends on can't be repeated. Create it with a journal",
    "conflict",
  );
}

function isHosted(sim: SimulatorCore): sim is HostedCore {
  return typeof sim === "object" && sim !== null && "rebuild" in sim && "past" in sim;
}

/** The world at the moment of the question. It has no journal. */
export function worldAt({ core, moment, decide }: Question): HostedCore {
  return core.rebuild(core.past.scriptOf(moment), { decide });
}

/** Asks each function once about requests that look the same to it, because it may count its calls. */
export function askedOnce(): FunctionStandIn {
  const made = new Map<string, Verdict | undefined>();
  return (id, decide) => (request) => {
    const name = JSON.stringify([id, request]);
    if (!made.has(name)) made.set(name, decide(request));
    return made.get(name);
  };
}

/** Decides as the functions did when the request was recorded. */
export function asRecorded(record: JournalRecord): FunctionStandIn {
  return (id) => () => verdictIn(record, id);
}
