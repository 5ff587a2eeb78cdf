/** What happens in a world, as server-sent events: what its journal keeps, from some entry on. */

import type { HostedCore } from "../simulator/core.ts";
import { listedExchange, shownChange } from "./listed-exchange.ts";
import { flag, wholeNumber } from "./read-request.ts";
import { commonHeaders } from "./responses.ts";
import { type ControlCall, type ControlRoute, route } from "./route.ts";

export const eventRoutes: readonly ControlRoute[] = [
  route("GET events", { query: { after: wholeNumber, follow: flag } }, (call) => {
    const { world, worlds, worldName, query, header } = call;
    const start = [String(query.after ?? 0), markOf(call)];
    const [sequence, mark = ""] = header("last-event-id")?.split(".") ?? start;
    const events = eventsAfter(call, Number(sequence), mark);
    const more = () => (worlds.peek(worldName) === world ? events() : undefined);
    // nginx would keep the events back.
    const own = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    return {
      status: 200,
      headers: { ...commonHeaders, ...own },
      // A browser that lost the connection would wait three seconds or more.
      body: `retry: 1000\n\n${events()}`,
      more: query.follow === false ? undefined : more,
    };
  }),
];

/** Numbers the worlds of this process, because a deleted one may leave its name to another. */
const numbers = new WeakMap<HostedCore, number>();
let worldCount = 0;

/** Names the state that a world's journal goes on from: another one after each restart, for each world and server. */
function markOf({ world, serverId }: ControlCall): string {
  const number = numbers.get(world) ?? ++worldCount;
  numbers.set(world, number);
  return `${serverId}${number}-${world.journal.restarts}`;
}

/** Most exchanges of one event. The next call returns the others. */
const MAX_ROWS = 10_000;

/** Returns a function that gives the events since its last call, as text. The client has the rows up to `sent`, of the state `mark`. */
function eventsAfter(call: ControlCall, sent: number, mark: string): () => string {
  const { journal } = call.world;
  let lastChange = journal.changes().findLast(({ after }) => after < sent)?.number ?? 0;

  return () => {
    let events = "";
    const tell = (event: string, data: unknown): void => {
      events += `id: ${sent}.${mark}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    };
    const dropped = journal.total - journal.kept;
    const now = markOf(call);
    // The client has rows of another state, or lacks some that the journal has dropped.
    if (mark !== now || sent > journal.total || (sent > 0 && sent < dropped)) {
      [mark, sent, lastChange] = [now, dropped, 0];
      tell("restarted", {});
    }
    // This runs several times a second, and mostly finds nothing. Changes go first: the event of the rows says which ones the client has.
    if (lastChange < journal.changeCount) {
      const changes = journal.changes().filter(({ number }) => number > lastChange);
      if (changes.length > 0) tell("changes", changes.map(shownChange));
      lastChange = journal.changeCount;
    }
    if (sent < journal.total) {
      const rows = journal
        .exchanges()
        .filter(({ sequence }) => sequence > sent)
        .slice(0, MAX_ROWS);
      sent = rows.at(-1)?.sequence ?? sent;
      if (rows.length > 0) tell("exchanges", rows.map(listedExchange));
    }
    return events;
  };
}
