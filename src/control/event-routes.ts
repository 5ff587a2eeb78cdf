/** What happens in a world, as server-sent events: what its journal keeps, from some entry on. */

import { InputError } from "../base/input.ts";
import { listedExchange, shownChange } from "./listed-exchange.ts";
import { flag, wholeNumber } from "./read-request.ts";
import { commonHeaders } from "./responses.ts";
import { type ControlCall, type ControlRoute, route } from "./route.ts";

export const eventRoutes: readonly ControlRoute[] = [
  route("GET events", { query: { after: wholeNumber, follow: flag } }, (call) => {
    const { worlds, worldName, query } = call;
    const last = lastEventId(call);
    // A page that was left open asks again after its world is deleted, and must not create another. 204 ends that.
    if (last !== undefined && worlds.wouldMake(`/@${worldName}`)) return undefined;
    const { world } = call;
    const sequence = last?.sequence ?? query.after ?? 0;
    const state = last?.state ?? call.stateOf(world);
    const events = eventsAfter(call, sequence, state);
    const isThere = (): boolean => worlds.peek(worldName) === world;
    return {
      status: 200,
      headers: {
        ...commonHeaders,
        "content-type": "text/event-stream",
        // nginx would keep the events back.
        "x-accel-buffering": "no",
      },
      // After a break, browsers would wait three seconds or more. By the id they say that they come again.
      body: `retry: 1000\nid: ${sequence}.${state}\n\n${events()}`,
      more: query.follow === false ? undefined : () => (isThere() ? events() : undefined),
    };
  }),
];

/** The last entry that a client has which connects again, and the state that its rows are from. Browsers send it by themselves. */
function lastEventId({ header }: ControlCall) {
  const sent = header("last-event-id") ?? "";
  if (sent === "") return undefined;
  const [, sequence, state = ""] = /^(\d{1,15})(?:\.([\w-]{0,50}))?$/.exec(sent) ?? [];
  if (sequence !== undefined) return { sequence: Number(sequence), state };
  throw new InputError("last-event-id", "must be the id of an event from here");
}

/** Most exchanges of one event. The next call returns the others. */
const MAX_ROWS = 10_000;

/** Returns a function that returns the events since its last call, as text; empty if there are none. */
function eventsAfter(
  { world, stateOf }: Pick<ControlCall, "world" | "stateOf">,
  sequence: number,
  stateOfRows: string,
): () => string {
  const { journal } = world;
  // The client has the rows after `from`, up to `sent`.
  let [state, from, sent] = [stateOfRows, 0, sequence];
  /** The last change that was sent; undefined until it is known which the client lacks. */
  let lastChange: number | undefined;

  return () => {
    let text = "";
    const tell = (event: string, data: unknown): void => {
      text += `id: ${sent}.${state}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    };
    const dropped = journal.total - journal.kept;
    const now = stateOf(world);
    // The client lacks rows that the journal has dropped, or has rows of another state.
    if (state !== now || sent > journal.total || (from < sent && sent < dropped)) {
      [state, from, sent, lastChange] = [now, dropped, dropped, undefined];
      tell("restarted", {});
    }
    if (from < dropped) {
      if (from < sent) tell("forgotten", { through: dropped });
      [from, sent] = [dropped, Math.max(sent, dropped)];
    }
    // Changes go before the rows, whose event says which rows the client has.
    if (lastChange !== journal.changeCount) {
      const changes = journal
        .changes()
        .filter(({ number, after }) =>
          lastChange === undefined ? after >= (from < sent ? sent : 0) : number > lastChange,
        );
      lastChange = journal.changeCount;
      if (changes.length > 0) tell("changes", changes.map(shownChange));
    }
    // Asked several times a second, mostly in vain.
    if (sent === journal.total) return text;
    const fresh = journal.exchanges().filter((item) => item.sequence > sent);
    const rows = fresh.slice(0, MAX_ROWS).map((item) => listedExchange(item.record, item.sequence));
    sent += rows.length;
    if (rows.length > 0) tell("exchanges", rows);
    return text;
  };
}
