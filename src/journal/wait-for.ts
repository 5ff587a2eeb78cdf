/**
 * Waiting for requests: settled by the journal as it records, or by the caller's signal. The one place below the adapters
 * that knows promises; nothing is awaited here, and no timer is set.
 */

import { InputError } from "../base/input.ts";
import type { JournalEntry } from "./entry.ts";
import { type JournalFilter, type ParsedFilter, parseFilter } from "./filter.ts";
import type { NumberedRecord } from "./record.ts";

/**
 * The first `count` entries that match, those that are there already included, as soon as they are recorded. It goes on
 * waiting over a reset, with what it has. Ends otherwise only by the signal: `{ signal: AbortSignal.timeout(1000) }`.
 *
 * @throws InputError (as a rejection) for wrong arguments; the signal's reason once it is aborted.
 */
export type WaitFor = (
  filter?: Omit<JournalFilter, "limit">,
  count?: number,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<JournalEntry[]>;

/** Who waits. */
export interface Waiters {
  /** Mostly nobody: then there is no need to notify. */
  readonly waiting: readonly unknown[];
  /** Shows them an entry as it is recorded. */
  notify(kept: NumberedRecord): void;
  readonly waitFor: WaitFor;
}

/** What waiters need of a journal. */
export interface WaitedFor {
  /** The entries kept that match, oldest first. */
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
      // A copy, for who has what it waited for leaves.
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
          throw new InputError("limit", "has no place here: count says how many are waited for");
        }
        if (!Number.isSafeInteger(count) || count < 1) {
          throw new InputError("count", "must be a whole number from 1 on");
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

/** By what it does, for a test runner's page has a class of its own. */
function readSignal(options: unknown): AbortSignal | undefined {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InputError("options", "must be an object, such as { signal }");
  }
  const unknown = Object.keys(options).find((name) => name !== "signal");
  if (unknown !== undefined) throw new InputError("options", "knows nothing but signal");
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
