/** Says in words how something that was sent differs from what exists. */

import { editDistance } from "../../base/did-you-mean.ts";
import { oneLine } from "../../base/text.ts";

const MAX_TYPOS = 3;
/** A shorter beginning or end could belong to any of them. */
const MIN_PART = 8;

/** The text reads after "which …". Undefined if the two aren't alike. */
type Comparison = (existing: string) => string | undefined;

/** `bare`: what was sent, without what may surround it. */
function comparisonOf(sent: string, bare: string): Comparison {
  const lower = bare.toLowerCase();
  return (existing) => {
    if (sent === existing) return "is valid now";
    if (bare === existing) return "is valid without its quotes, blanks or brackets";
    if (bare.length === existing.length && lower === existing.toLowerCase()) {
      return "has upper and lower case mixed up";
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
    ? `has more after its ${existing.length} characters`
    : undefined;
}

function typoText(bare: string, existing: string): string | undefined {
  const count = editDistance(bare, existing);
  // Short texts are never far apart.
  if (count > MAX_TYPOS || count * 4 > existing.length) return undefined;
  return `is mistyped: ${count} ${count === 1 ? "character differs" : "characters differ"}`;
}

/** Ids and keys contain no blanks or quotes, so those are dropped. */
export function compareWithId(sent: string): Comparison {
  return comparisonOf(sent, withoutWrapping(sent));
}

export function compareWithName(sent: string): Comparison {
  return comparisonOf(sent, sent.trim());
}

/** Drops what people and programs leave around a value. */
export function withoutWrapping(text: string): string {
  return text.replaceAll(/["'`<>{}[\]()\s,;]/g, "");
}

/** The first candidate that is like what was sent, and how they differ. */
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

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The value as text on one line, shortened to be readable. */
export function quotedValue(value: unknown): string {
  return oneLine(textOf(value), MAX_SHOWN);
}

const MAX_SHOWN = 100;
