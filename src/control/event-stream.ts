/**
 * What happens in a world as server-sent events: first what its journal and its history keep, then the rest as it happens.
 * Everything is read from there when the client is ready for it, so a slow client costs no memory.
 */

import type { HostedCore } from "../simulator/simulator.ts";
import type { LongResponse, Wait } from "../spec/work.ts";
import { type ListedExchange, listedExchange } from "./listed-exchange.ts";

export interface EventStreamSource {
  readonly world: HostedCore;
  /** The last entry that the client has; 0 if it has none. */
  readonly after: number;
  /** The state of the world that the client's rows are from. */
  readonly state: string;
  /** The world's present state. */
  stateNow(): string;
  /** Whether the stream waits for what happens later. Otherwise it ends with what there is now. */
  readonly follows: boolean;
  /** Whether the world still belongs to the server. */
  isKept(): boolean;
  /** Called once, at the end. */
  ended(): void;
}

/** Keeps the connection in use while nothing happens. */
const HEARTBEAT = ":\n\n";

export function createEventStream(source: EventStreamSource): NonNullable<LongResponse["rest"]> {
  const { world, isKept, ended } = source;
  const events = createEventReader(source);
  let isOver = false;
  let hasWaited = false;
  let isWoken = false;
  let wake: (() => void) | undefined;
  const changed = (): void => {
    isWoken = true;
    wake?.();
  };
  const leave = [world.journal.watch(changed), world.history.observe(changed)];

  const waitForChange: Wait = (done) => {
    if (isWoken) done();
    else wake = done;
  };
  function finish(): IteratorReturnResult<undefined> {
    if (!isOver) {
      isOver = true;
      for (const stop of leave) stop();
      ended();
    }
    return { done: true, value: undefined };
  }

  return {
    next() {
      wake = undefined;
      if (isOver || !isKept()) return finish();
      const isLate = hasWaited && !isWoken;
      hasWaited = false;
      isWoken = false;
      const text = events.take() ?? (isLate ? HEARTBEAT : undefined);
      if (text !== undefined) return { value: text };
      if (!source.follows) return finish();
      hasWaited = true;
      return { value: waitForChange };
    },
    return: finish,
  };
}

interface EventReader {
  /** The next event; undefined if there is none yet. */
  take(): string | undefined;
}

function createEventReader(source: EventStreamSource): EventReader {
  const { journal, history } = source.world;
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
  /** Whether the client lacks rows that the journal has dropped, or has rows of another state. */
  function isOutdated(): boolean {
    return state !== source.stateNow() || sent > journal.total || (hasRows && sent < dropped());
  }
  function startOver(): string {
    state = source.stateNow();
    sent = dropped();
    forgotten = sent;
    hasRows = false;
    sentChanges = undefined;
    return event("restarted", "{}");
  }
  function event(name: string, data: string): string {
    return `id: ${sent}.${state}\nevent: ${name}\ndata: ${data}\n\n`;
  }
  /** Changes go first: a client that comes back says only which rows it has, and gets the changes since then once more. */
  function takeChanges(): string[] {
    const { changeCount } = history;
    if (sentChanges === changeCount) return [];
    const kept = history.changes();
    const fresh =
      sentChanges === undefined
        ? kept.filter((change) => change.after >= (hasRows ? sent : 0))
        : kept.slice(Math.max(0, kept.length - (changeCount - sentChanges)));
    const texts = takeTexts(fresh);
    sentChanges = changeCount - (fresh.length - texts.length);
    return texts;
  }
  function* rows(): Generator<ListedExchange> {
    sent = Math.max(sent, dropped());
    for (;;) {
      const record = journal.recordAt(sent + 1);
      if (record === undefined) return;
      sent += 1;
      yield listedExchange(record, sent);
    }
  }

  return {
    take() {
      if (isOutdated()) return startOver();
      if (hasRows && forgotten < dropped()) {
        forgotten = dropped();
        return event("forgotten", JSON.stringify({ through: forgotten }));
      }
      const changes = takeChanges();
      if (changes.length > 0) return event("changes", `[${changes.join(",")}]`);
      const texts = takeTexts(rows());
      if (texts.length === 0) return undefined;
      hasRows = true;
      return event("exchanges", `[${texts.join(",")}]`);
    },
  };
}

/** The most items of an event. */
const MAX_ITEMS = 500;
/** A further item begins another event. Most have some hundred characters, but a query can have many more. */
const MAX_CHARACTERS = 262_144;

/** The first items as JSON, as many as fit into one event. */
function takeTexts(items: Iterable<object>): string[] {
  const texts: string[] = [];
  let characters = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    texts.push(text);
    characters += text.length;
    if (texts.length === MAX_ITEMS || characters >= MAX_CHARACTERS) break;
  }
  return texts;
}
