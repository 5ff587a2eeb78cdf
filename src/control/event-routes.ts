/** What happens in a world, as server-sent events. */

import { InputError } from "../base/input.ts";
import { createEventStream } from "./event-stream.ts";
import { choiceOf, integerOf } from "./input.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";

/** Each takes a connection, and some time whenever a request arrives. */
const MAX_STREAMS = 100;

export const eventRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "events", query: ["after", "follow"], answer: follow },
];

function follow(call: ControlCall): Reply {
  const { worlds, worldName, query, streams } = call;
  const lastId = lastEventId(call);
  const after = lastId ?? integerOf(query, "after", { minimum: 0 }) ?? 0;
  // A page that was left open asks again after its world is deleted, and must not create another. 204 ends that.
  if (lastId !== undefined && worlds.wouldMake(`/@${worldName}`)) return { kind: "nothing" };
  if (streams.open >= MAX_STREAMS) {
    throw new InputError(
      "path",
      `can't be followed: this server already sends ${MAX_STREAMS} event streams, its maximum. Close some of their pages or clients`,
      "busy",
    );
  }
  const follows = choiceOf(query, "follow", ["true", "false"]) !== "false";
  const { world } = call;
  const { restarts } = world.journal;
  // An id of another server, or from before a restart, says nothing about the rows of this journal.
  const latest = streams.latest.get(world);
  const isKnown = latest?.restarts === restarts && after <= latest.id;
  streams.open += 1;
  const sent = (id: number): void => {
    const known = streams.latest.get(world);
    const isNewer = known?.restarts !== world.journal.restarts || id > known.id;
    if (isNewer) streams.latest.set(world, { restarts: world.journal.restarts, id });
  };
  const events = createEventStream({
    world,
    after,
    isOutdated: lastId !== undefined && !isKnown,
    follows,
    isKept: () => worlds.peek(worldName) === world,
    sent,
    ended() {
      streams.open -= 1;
    },
  });
  sent(Math.min(after, world.journal.total));
  return { kind: "events", events, after, isOpenEnded: follows };
}

/** The last event that a client got before it connects again. Browsers send it by themselves. */
function lastEventId({ header }: ControlCall): number | undefined {
  const sent = header("last-event-id");
  if (sent === undefined || sent === "") return undefined;
  if (/^\d{1,15}$/.test(sent)) return Number(sent);
  throw new InputError("last-event-id", "must be the id of an event from here");
}
