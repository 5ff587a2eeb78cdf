/** The past of a world over the control API: which moments can be rebuilt, and the world as it was at an entry of its journal. */

import { eventValues } from "../audit/findings/client-event.ts";
import { formatInstant } from "../base/calendar.ts";
import type { ClockMode } from "../base/clock.ts";
import { InputError, underName } from "../base/input.ts";
import type { FunctionStandIn } from "../faults/rules.ts";
import { isFirstOfTwo, type Script } from "../simulator/moment.ts";
import { type Repetition, repeatAll, verdictIn } from "../simulator/repetition.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import { buildRequest } from "../spec/build-request.ts";
import { isEventKind, type OperationId } from "../spec/operations.ts";
import { publisherWith } from "./publisher-with.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";

export const historyRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "history", answer: reach },
  { method: "GET", path: "history/:sequence", query: ["publisher"], answer: moment },
];

/** Which moments can be rebuilt, and what was done by hand meanwhile. */
function reach({ world }: ControlCall): Reply {
  const { journal, history } = world;
  const { first, whyNone } = history;
  const unavailable = whyNone && `No moment can be rebuilt: ${whyNone}.`;
  const value = { first, total: journal.total, unavailable, changes: history.changes() };
  return { kind: "json", value };
}

/** The world right before and right after an entry, as one publisher sees it. 0 is the world's beginning. */
function moment(call: ControlCall): Reply {
  const { world, query } = call;
  const sequence = entryOf(call);
  const publisher = query.get("publisher") ?? publisherBehind(world, sequence);
  if (publisher !== undefined) world.publishers.get(publisher);
  return {
    kind: "json",
    value: { sequence, publisher, ...statesAround(world, sequence, publisher) },
  };
}

/**
 * The publisher whose books an event changes, or whose key was sent with any other request. Without a valid key it is the one
 * that the request names, if that exists.
 */
function publisherBehind(world: HostedCore, sequence: number): string | undefined {
  const record = world.journal.recordAt(sequence);
  if (record === undefined) return undefined;
  const concerned = isEventKind(record.operation) ? record.account?.id : undefined;
  const behind = concerned ?? record.publisher;
  if (behind !== undefined) return behind;
  const named =
    eventValues(record)?.publisher_id ?? new URLSearchParams(record.query).get("publisher_id");
  return publisherWith(named ?? undefined, world.publishers)?.id;
}

/** `before` is null if only the moment after the entry can be rebuilt. */
function statesAround(
  world: HostedCore,
  sequence: number,
  publisher: string | undefined,
): { readonly before: object | null; readonly after: object } {
  const record = world.journal.recordAt(sequence);
  const script = record && scriptBefore(world, sequence);
  if (record === undefined || script === undefined) {
    return { before: null, after: stateAfter(world, sequence, publisher) };
  }
  // Rules that are functions decide on the entry itself as they did.
  const recorded: FunctionStandIn = (id) => () => verdictIn(record, id);
  const { repetition, world: earlier, mode } = rebuild(world, script, recorded);
  const before = shownState(earlier.fork(), mode, publisher);
  // What led to the moment between the two times of a duplicated request doesn't lead on.
  if (record.fault?.application === 2) {
    return { before, after: stateAfter(world, sequence, publisher) };
  }
  repetition.repeat({ kind: "request", sequence, record, isFirstOnly: isFirstOfTwo(record) });
  return { before, after: shownState(earlier, mode, publisher) };
}

function stateAfter(world: HostedCore, sequence: number, publisher: string | undefined): object {
  const script = underName("sequence", () => world.history.scriptOf({ after: sequence }));
  const rebuilt = rebuild(world, script);
  return shownState(rebuilt.world, rebuilt.mode, publisher);
}

/** Undefined if what leads to that moment is gone. */
function scriptBefore({ history }: HostedCore, sequence: number): Script | undefined {
  try {
    return history.scriptOf({ before: sequence });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** A world with a frozen clock in the state that a script leads to. `mode`: that of the clock at that moment. */
function rebuild(world: HostedCore, script: Script, asked?: FunctionStandIn): RebuiltWorld {
  const repetition = world.beginAt(script.from);
  repeatAll(repetition, script, asked);
  return { repetition, world: repetition.world, mode: script.mode };
}

interface RebuiltWorld {
  readonly repetition: Repetition<HostedCore>;
  readonly world: HostedCore;
  readonly mode: ClockMode;
}

/** @throws InputError unless the path has the number of an entry. */
export function entryOf({ part }: Pick<ControlCall, "part">): number {
  const text = part("sequence");
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InputError("sequence", "must be the number of an entry of the journal", "not-found");
}

/** `world` is a copy for this answer alone. A publisher that isn't there yet has no state. */
function shownState(world: HostedCore, mode: ClockMode, publisher: string | undefined): object {
  const { assumptions, clock, faults } = world;
  return {
    now: formatInstant(clock.now()),
    mode,
    assumptions,
    faults: faults.list(),
    publisher: publisher === undefined ? null : publisherState(world, publisher),
  };
}

function publisherState(world: HostedCore, id: string): object | null {
  const publisher = publisherWith(id, world.publishers);
  if (publisher === undefined) return null;
  const { name, surfaces } = publisher;
  const figures = world.figuresOf(id);
  // A key that nothing was spent with: what is left of the quotas must not decide what can be seen.
  const { apiKey } = world.publishers.rotateKey(id);
  world.faults.clear();
  const read = (operation: OperationId): object => {
    const values = { publisher_id: id, ...(operation === "payouts" ? { limit: "100" } : {}) };
    const { status, body } = world.handle(buildRequest(operation, values, { key: apiKey }));
    return { status, body };
  };
  return { id, name, surfaces, ...figures, stats: read("stats"), payouts: read("payouts") };
}
