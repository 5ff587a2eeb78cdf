/** Waits for requests: the journal settles a wait when it records, or the caller's signal does. No timer is set. */

import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import { wholeFrom } from "../base/schemas.ts";
import type { JournalEntry } from "./entry.ts";
import { type JournalFilter, type ParsedFilter, parseFilter } from "./filter.ts";
import type { ExchangeItem } from "./log.ts";

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

export interface WaitedFor {
  /** The matching exchanges, oldest first. */
  select(filter: ParsedFilter): readonly ExchangeItem[];
  show(found: readonly ExchangeItem[], filter: ParsedFilter): JournalEntry[];
  /** Calls back with every exchange from now on. @returns a function that ends this. */
  follow(notify: (item: ExchangeItem) => void): () => void;
}

// Not by class: a test runner's page has an AbortSignal class of its own.
const signal = v.custom<AbortSignal>(
  (given) => typeof (given as AbortSignal | null)?.throwIfAborted === "function",
  "must be an AbortSignal, such as AbortSignal.timeout(1000)",
);
const options = v.strictObject({ signal: v.optional(signal) }, "must be { signal }");
const counts = v.strictObject({ count: wholeFrom(1) });

export function createWaitFor({ select, show, follow }: WaitedFor): WaitFor {
  return (wanted = {}, wantedCount = 1, given = {}) =>
    new Promise((resolve, reject) => {
      const filter = parseFilter(wanted);
      if ("limit" in wanted)
        throw new InputError("limit", "can't be used here: pass count instead");
      const { count } = parseInput(counts, { count: wantedCount });
      const { signal } = parseInput(options, given, "options");
      signal?.throwIfAborted();
      const found = select(filter).slice(0, count);
      if (found.length === count) {
        resolve(show(found, filter));
        return;
      }
      const leave = (): void => {
        stop();
        signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const stop = follow((item) => {
        if (!filter.matches(item)) return;
        found.push(item);
        if (found.length < count) return;
        leave();
        resolve(show(found, filter));
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
}
