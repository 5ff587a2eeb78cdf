/** What happens in a world, as server-sent events. */

import { InputError } from "../base/input.ts";
import { createEventStream } from "./event-stream.ts";
import { choiceOf, integerOf } from "./input.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";

export const eventRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "events", query: ["after", "follow"], answer: follow },
];

function follow(call: ControlCall): Reply {
  const { worlds, worldName, query } = call;
  const last = lastEventId(call);
  const after =
    last?.sequence ??
    integerOf(query, "after", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) ??
    0;
  // A page that was left open asks again after its world is deleted, and must not create another. 204 ends that.
  if (last !== undefined && worlds.wouldMake(`/@${worldName}`)) return { kind: "nothing" };
  const follows = choiceOf(query, "follow", ["true", "false"]) !== "false";
  const { world } = call;
  const stateNow = (): string => call.stateOf(world);
  const state = last?.state ?? stateNow();
  const events = createEventStream({ world, after, state, stateNow });
  // After a break, browsers would wait three seconds or more. By the id they say that they come again.
  const text = `retry: 1000\nid: ${after}.${state}\n\n${events()}`;
  const isKept = (): boolean => worlds.peek(worldName) === world;
  const more = follows ? () => (isKept() ? events() : undefined) : undefined;
  return { kind: "events", text, more };
}

/** The last event that a client got before it connects again. Browsers send it by themselves. */
function lastEventId({
  header,
}: ControlCall): { readonly sequence: number; readonly state: string } | undefined {
  const sent = header("last-event-id");
  if (sent === undefined || sent === "") return undefined;
  const [, sequence, state = ""] = /^(\d{1,15})(?:\.([\w-]{0,50}))?$/.exec(sent) ?? [];
  if (sequence !== undefined) return { sequence: Number(sequence), state };
  throw new InputError("last-event-id", "must be the id of an event from here");
}
