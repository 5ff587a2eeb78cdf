/** Names of ad views: plain ones, and others that reveal a client that changes what it sends. */

import type { Shown } from "../driver/driver.ts";

/** Longer than most columns and identifiers. */
const LENGTH = 240;

/**
 * Characters with a meaning in escapes, forms, URLs and JSON; an invalid escape; letters outside latin-1; a letter with
 * a combining accent; a character of two UTF-16 units; and two spaces in a row.
 */
const MARKS = "  a+b&c=d%25%2F %/?#\"\\'<;,> e\u0301 \u00df\u0130 \u5e83\u544a \u{1f389} ";

export const spellings = ["plain", "unusual", "numeric"] as const;
export type Spelling = (typeof spellings)[number];

/** The unique names of the view with this number. */
export function namesOf(
  number: number,
  spelling: Spelling = "plain",
): Pick<Shown, "ad" | "session"> {
  if (spelling === "numeric") {
    const digits = String(number).padStart(20, "0");
    const power = `${digits}e3`;
    return number % 2 === 1 ? { ad: digits, session: power } : { ad: power, session: digits };
  }
  const ad = `ad-${number}`;
  const session = `session-${number}`;
  if (spelling === "plain") return { ad, session };
  return { ad: unusual(ad), session: unusual(session) };
}

/** The number is at both ends, so a name cut at either end doesn't match. It ends in a space. */
function unusual(plain: string): string {
  const end = ` ${plain} `;
  return `${plain}${MARKS}`.padEnd(LENGTH - end.length, "long ") + end;
}

/** Enough of the view to recognise it: its ad, and if that was shown before also its surface and session. */
export function viewInWords({ ad, session, surface }: Shown): string {
  const isFirst = numberIn(ad) === numberIn(session);
  return isFirst ? plainName(ad) : `${plainName(ad)} on ${surface} in ${plainName(session)}`;
}

/** The number of the view that a name was made for. */
function numberIn(name: string): string | undefined {
  return /\d+/.exec(name)?.[0];
}

/** The plain name, with which an unusual one begins. */
function plainName(name: string): string {
  return /^[\w-]+/.exec(name)?.[0] ?? name;
}

/** Escapes all but printable ASCII: accents, special spaces and characters that look alike. */
export function escapedText(text: string | undefined): string {
  if (text === undefined) return "left out";
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}
