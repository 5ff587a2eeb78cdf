/** What happens in a world as server-sent events: what its journal keeps, from some entry on. */

import type { ChangeItem } from "../journal/log.ts";
import type { HostedCore } from "../simulator/core.ts";
import { listedExchange } from "./listed-exchange.ts";
import { shownChange } from "./shown-change.ts";

export interface EventStreamSource {
  readonly world: HostedCore;
  /** The last entry that the client has; 0 if it has none. */
  readonly after: number;
  /** The state of the world that the client's rows are from. */
  readonly state: string;
  /** The world's present state. */
  stateNow(): string;
}

/** Most exchanges of one event. The next call returns the others. */
const MAX_ROWS = 10_000;

/** Returns a function that returns the events since its last call, as text; empty if there are none. */
export function createEventStream(source: EventStreamSource): () => string {
  const { journal } = source.world;
  let { state } = source;
  /** The last entry that was sent or is no longer kept. */
  let sent = source.after;
  let hasRows = source.after > 0;
  /** The last entry that the client knows to be dropped, if it had it. */
  let forgotten = source.after > 0 ? 0 : dropped();
  /** How many changes were sent; undefined until it is known which the client lacks. */
  let sentChanges: number | undefined;

  /** The last entry that the journal dropped. */
  function dropped(): number {
    return journal.total - journal.kept;
  }
  function event(name: string, data: unknown): string {
    return `id: ${sent}.${state}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  }
  /** If the client lacks rows that the journal has dropped, or has rows of another state. */
  function startOver(): string {
    const isOutdated =
      state !== source.stateNow() || sent > journal.total || (hasRows && sent < dropped());
    if (!isOutdated) return "";
    state = source.stateNow();
    sent = dropped();
    forgotten = sent;
    hasRows = false;
    sentChanges = undefined;
    return event("restarted", {});
  }
  function forget(): string {
    if (!hasRows || forgotten >= dropped()) return "";
    forgotten = dropped();
    return event("forgotten", { through: forgotten });
  }
  /** A client that comes back says only which rows it has, and gets the changes since then once more. */
  function newChanges(): string {
    const { changeCount } = journal;
    if (sentChanges === changeCount) return "";
    const isNew = ({ number, after }: ChangeItem): boolean =>
      sentChanges === undefined ? after >= (hasRows ? sent : 0) : number > sentChanges;
    const fresh = journal.changes().filter(isNew).map(shownChange);
    sentChanges = changeCount;
    return fresh.length === 0 ? "" : event("changes", fresh);
  }
  function newRows(): string {
    // Asked several times a second, mostly in vain.
    if (sent === journal.total) return "";
    sent = Math.max(sent, dropped());
    const items = journal
      .exchanges()
      .filter(({ sequence }) => sequence > sent)
      .slice(0, MAX_ROWS);
    const rows = items.map(({ record, sequence }) => listedExchange(record, sequence));
    sent += rows.length;
    if (rows.length === 0) return "";
    hasRows = true;
    return event("exchanges", rows);
  }

  // Changes go before the rows: their event says which rows the client has.
  return () => startOver() + forget() + newChanges() + newRows();
}
