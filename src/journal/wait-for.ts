/**
 * Waits for requests. The journal settles a wait when it records, or the caller's signal does. Apart from adapters, only
 * this file knows promises; it awaits nothing and sets no timer.
 */

import { InputError } from "../base/input.ts";
import type { JournalEntry } from "./entry.ts";
import { type JournalFilter, type ParsedFilter, parseFilter } from "./filter.ts";
import type { NumberedRecord } from "./record.ts";

/**
 * Resolves to the first `count` matching entries when they are recorded. Existing entries count, and so do those before a
 * reset. Without a signal, such as `{ signal: AbortSignal.timeout(1000) }`, it may wait forever.
 *
 * @throws InputError (as a rejection) for invalid arguments; the signal's reason if it is aborted.
 */
export type WaitFor = (
  filter?: Omit<JournalFilter, "limit">,
  count?: number,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<JournalEntry[]>;

export interface Waiters {
  /** If it is empty, as it usually is, the journal needn't notify. */
  readonly waiting: readonly unknown[];
  /** Tells the waiters about a new entry. */
  notify(kept: NumberedRecord): void;
  readonly waitFor: WaitFor;
}

/** The parts of a journal that waiters use. */
export interface WaitedFor {
  /** The matching records, oldest first. */
  select(filter: ParsedFilter): NumberedRecord[];
  show(found: readonly NumberedRecord[], filter: ParsedFilter): JournalEntry[];
}

interface Waiter {
  readonly filter: ParsedFilter;
  readonly count: number;
  readonly found: NumberedRecord[];
  done(entries: JournalEntry[]): void;
}

export function createWaiters({ select, show }: WaitedFor): Waiters {
  const waiting: Waiter[] = [];

  function leave(waiter: Waiter): void {
    const place = waiting.indexOf(waiter);
    if (place !== -1) waiting.splice(place, 1);
  }

  return {
    waiting,
    notify(kept) {
      // A copy, because a waiter that is done removes itself.
      for (const waiter of [...waiting]) {
        const { filter, found, count } = waiter;
        if (kept.sequence < filter.first || !filter.matches(kept.record)) continue;
        found.push(kept);
        if (found.length === count) waiter.done(show(found, filter));
      }
    },
    waitFor: (wanted = {}, count = 1, options = {}) =>
      new Promise((resolve, reject) => {
        const filter = parseFilter(wanted);
        if (filter.limit !== Number.POSITIVE_INFINITY) {
          throw new InputError("limit", "can't be used with waitFor: pass count instead");
        }
        if (!Number.isSafeInteger(count) || count < 1) {
          throw new InputError("count", "must be a whole number, 1 or more");
        }
        const signal = readSignal(options);
        signal?.throwIfAborted();
        const found = select(filter).slice(0, count);
        if (found.length === count) {
          resolve(show(found, filter));
          return;
        }
        const abort = (): void => {
          leave(waiter);
          reject(signal?.reason);
        };
        const waiter: Waiter = {
          filter,
          count,
          found,
          done(entries) {
            leave(waiter);
            signal?.removeEventListener("abort", abort);
            resolve(entries);
          },
        };
        waiting.push(waiter);
        signal?.addEventListener("abort", abort, { once: true });
      }),
  };
}

/** Checks the methods, not the class: a test runner's page has an AbortSignal class of its own. */
function readSignal(options: unknown): AbortSignal | undefined {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InputError("options", "must be an object, such as { signal }");
  }
  const unknown = Object.keys(options).find((name) => name !== "signal");
  if (unknown !== undefined) throw new InputError("options", "must have no member but signal");
  const { signal } = options as { readonly signal?: Partial<AbortSignal> | undefined };
  if (signal === undefined) return undefined;
  if (
    typeof signal?.throwIfAborted === "function" &&
    typeof signal.addEventListener === "function"
  ) {
    return signal as AbortSignal;
  }
  throw new InputError("signal", "must be an AbortSignal, such as AbortSignal.timeout(1000)");
}
