/** Why a moment of a world can't be rebuilt, in words. */

import { InputError } from "../base/input.ts";
import type { History } from "./moment.ts";

export const whyNot = {
  journalOff: "the journal is off (journalEntries is 0)",
  worldTooLarge:
    "the world is too large for its past to be saved, and the journal no longer has all that was done since its beginning",
  nothingSaved: "what it is rebuilt from was dropped",
  replacedByTooLarge:
    "can't be rebuilt: before it, the world's state was replaced by one with too many events to copy",
} as const;

export function whyTooEarly(
  { first, whyNone }: Pick<History, "first" | "whyNone">,
  total: number,
): string {
  return whyNone === undefined
    ? `must be from ${first} to ${total}: what an earlier moment is rebuilt from was dropped`
    : `can't be rebuilt: ${whyNone}`;
}

/** @throws InputError unless the journal has counted this entry. */
export function checkedEntry(field: string, sequence: number, total: number): number {
  const lowest = field === "after" ? 0 : 1;
  if (Number.isSafeInteger(sequence) && sequence >= lowest && sequence <= total) return sequence;
  const range = total < lowest ? "which has none yet" : `from ${lowest} to ${total}`;
  throw new InputError(
    field,
    `must be the number of an entry of the journal, ${range}`,
    "not-found",
  );
}
