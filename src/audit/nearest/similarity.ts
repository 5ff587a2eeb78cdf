/** Says how something that was sent differs from what exists, in words. */

import { editDistance } from "../../base/edit-distance.ts";
import { oneLine } from "../../base/text.ts";

/** How many wrong characters still are a slip. */
const MAX_TYPOS = 3;
/** A beginning or an end of fewer characters could be anybody's. */
const MIN_PART = 8;

/** Says in words that follow "which" how what was sent differs from what exists; undefined where they have nothing in common. */
type Comparison = (existing: string) => string | undefined;

/** `bare`: what was sent without what may have come with it. Made once, for it is held against many. */
function comparisonOf(sent: string, bare: string): Comparison {
  const lower = bare.toLowerCase();
  return (existing) => {
    if (sent === existing) return "is right now";
    if (bare === existing) return "is right without the quotes, blanks or brackets around or in it";
    if (bare.length === existing.length && lower === existing.toLowerCase()) {
      return "is right in another case";
    }
    return wholeOrPart(bare, existing) ?? typoText(bare, existing);
  };
}

function wholeOrPart(bare: string, existing: string): string | undefined {
  if (bare.length >= MIN_PART && bare.length < existing.length) {
    const cut = `${bare.length} of ${existing.length} characters`;
    if (existing.startsWith(bare)) return `is cut off: the first ${cut}`;
    if (existing.endsWith(bare)) return `is cut off: the last ${cut}`;
  }
  return bare.length > existing.length && bare.startsWith(existing)
    ? `goes on after its ${existing.length} characters`
    : undefined;
}

function typoText(bare: string, existing: string): string | undefined {
  const count = editDistance(bare, existing, MAX_TYPOS);
  // What is short is never far from anything.
  if (count > MAX_TYPOS || count * 4 > existing.length) return undefined;
  return `is mistyped: ${count} ${count === 1 ? "character differs" : "characters differ"}`;
}

/** An id or a key has no blanks and quotes of its own. */
export function compareWithId(sent: string): Comparison {
  return comparisonOf(sent, withoutWrapping(sent));
}

export function compareWithName(sent: string): Comparison {
  return comparisonOf(sent, sent.trim());
}

/** What people and programs leave around a value. */
export function withoutWrapping(text: string): string {
  return text.replaceAll(/["'`<>{}[\]()\s,;]/g, "");
}

/** The first of `candidates` that what was sent is like, and how it differs. */
export function firstSimilar<Candidate>(
  compare: Comparison,
  candidates: Iterable<Candidate>,
  textOf: (candidate: Candidate) => string,
): { readonly candidate: Candidate; readonly how: string } | undefined {
  for (const candidate of candidates) {
    const how = compare(textOf(candidate));
    if (how !== undefined) return { candidate, how };
  }
  return undefined;
}

/** A value as it was sent. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The same, short enough to be read, and on one line. */
export function quotedValue(value: unknown): string {
  return oneLine(textOf(value), MAX_SHOWN);
}

const MAX_SHOWN = 100;
