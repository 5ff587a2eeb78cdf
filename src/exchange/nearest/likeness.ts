/** Says how something that was sent differs from what exists, in words. */

import { editDistance, mayBeWithin } from "../../base/edit-distance.ts";

/** How many wrong characters still are a slip. */
const MOST_SLIPS = 3;
/** A beginning or an end of fewer characters could be anybody's. */
const LEAST_PART = 8;

/** How `sent` differs from `existing`, in words that follow "which"; undefined where they have nothing to do with each other. */
export function difference(sent: string, existing: string): string | undefined {
  if (sent === existing) return "is right now";
  const bare = withoutWrapping(sent);
  if (bare === existing) return "is right without the quotes, blanks or brackets around or in it";
  if (bare.toLowerCase() === existing.toLowerCase()) return "is right in another case";
  if (bare.length >= LEAST_PART && bare.length < existing.length) {
    const cut = `${bare.length} of ${existing.length} characters`;
    if (existing.startsWith(bare)) return `is cut off: the first ${cut}`;
    if (existing.endsWith(bare)) return `is cut off: the last ${cut}`;
  }
  if (bare.length > existing.length && bare.startsWith(existing)) {
    return `goes on after its ${existing.length} characters`;
  }
  if (!mayBeWithin(MOST_SLIPS, bare, existing)) return undefined;
  const slips = editDistance(bare, existing);
  // What is short is never far from anything.
  if (slips > MOST_SLIPS || slips * 4 > existing.length) return undefined;
  return `is mistyped: ${slips} ${slips === 1 ? "character differs" : "characters differ"}`;
}

/** What people and programs leave around a value. */
export function withoutWrapping(text: string): string {
  return text.replaceAll(/["'`<>{}[\]()\s,;]/g, "");
}

/** The first of `candidates` that `sent` is like, and how it differs; one that it differs little from goes first. */
export function mostAlike<Candidate>(
  sent: string,
  candidates: Iterable<Candidate>,
  textOf: (candidate: Candidate) => string,
): { readonly candidate: Candidate; readonly how: string } | undefined {
  for (const candidate of candidates) {
    const how = difference(sent, textOf(candidate));
    if (how !== undefined) return { candidate, how };
  }
  return undefined;
}

/** A value as it was sent, short enough to be read, and on one line. */
export function quotedValue(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const plain = text.toWellFormed().replaceAll(/\p{C}/gu, " ");
  return plain.length > MOST_SHOWN ? `${plain.slice(0, MOST_SHOWN)}…` : plain;
}

const MOST_SHOWN = 100;
