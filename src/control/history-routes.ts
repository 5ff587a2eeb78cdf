/** The past of a world over the control API: which moments can be rebuilt, and the world as it was at an entry of its journal. */

import { eventValues } from "../audit/findings/client-event.ts";
import { formatInstant } from "../base/calendar.ts";
import type { ClockMode } from "../base/clock.ts";
import { InputError, underName } from "../base/input.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { Moment } from "../simulator/past.ts";
import { buildRequest } from "../spec/build-request.ts";
import { isEventKind, type OperationId } from "../spec/operations.ts";
import { publisherWith } from "./publisher-with.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";
import { shownChange } from "./shown-change.ts";

export const historyRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "history", answer: listMoments },
  { method: "GET", path: "history/:sequence", query: ["publisher"], answer: showMoment },
];

/** Which moments can be rebuilt, and what was done by hand meanwhile. */
function listMoments({ world }: ControlCall): Reply {
  const { journal } = world;
  const { first, whyNone } = world.past;
  const unavailable = whyNone && `No moment can be rebuilt: ${whyNone}.`;
  const value = {
    first,
    total: journal.total,
    unavailable,
    changes: journal.changes().map(shownChange),
  };
  return { kind: "json", value };
}

/** The world right before and right after an entry, as one publisher sees it. 0 is the world's beginning. */
function showMoment(call: ControlCall): Reply {
  const { world, query } = call;
  const sequence = sequenceIn(call);
  const publisher = query.get("publisher") ?? publisherBehind(world, sequence);
  if (publisher !== undefined) world.publishers.get(publisher);
  const after = underName("sequence", () => stateAt(world, { after: sequence }, publisher));
  const before = sequence === 0 ? null : stateBefore(world, sequence, publisher);
  return { kind: "json", value: { sequence, publisher, before, after } };
}

/**
 * The publisher whose books an event changes, or whose key was sent with any other request. Without a valid key it is the one
 * that the request names, if that exists.
 */
function publisherBehind(world: HostedCore, sequence: number): string | undefined {
  const record = world.journal.exchange(sequence)?.record;
  if (record === undefined) return undefined;
  const concerned = isEventKind(record.operation) ? record.account?.id : undefined;
  const behind = concerned ?? record.publisher;
  if (behind !== undefined) return behind;
  const named =
    eventValues(record)?.publisher_id ?? new URLSearchParams(record.query).get("publisher_id");
  return publisherWith(named ?? undefined, world.publishers)?.id;
}

/** Null if what leads to that moment is gone. */
function stateBefore(
  world: HostedCore,
  sequence: number,
  publisher: string | undefined,
): object | null {
  try {
    return stateAt(world, { before: sequence }, publisher);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

function stateAt(world: HostedCore, moment: Moment, publisher: string | undefined): object {
  const script = world.past.scriptOf(moment);
  return shownState(world.rebuild(script), script.mode, publisher);
}

/** @throws InputError unless the path has the number of an entry. */
export function sequenceIn({ part }: Pick<ControlCall, "part">): number {
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
    // Last, because it changes the copy.
    publisher: publisher === undefined ? null : publisherState(world, publisher),
  };
}

function publisherState(world: HostedCore, id: string): object | null {
  const publisher = publisherWith(id, world.publishers);
  if (publisher === undefined) return null;
  const { name, surfaces } = publisher;
  const figures = world.figuresOf(id);
  // Reads with a fresh key, so that a used-up quota doesn't refuse them.
  const { apiKey } = world.publishers.rotateKey(id);
  world.faults.clear();
  const read = (operation: OperationId): object => {
    const values = { publisher_id: id, ...(operation === "payouts" ? { limit: "100" } : {}) };
    const { status, body } = world.handle(buildRequest(operation, values, { key: apiKey }));
    return { status, body };
  };
  return { id, name, surfaces, ...figures, stats: read("stats"), payouts: read("payouts") };
}
