/** Names of showings: plain ones, and such as tell a client that changes what it was given on the way. */

import { oneLine } from "../../base/text.ts";
import type { AdView } from "./session.ts";

type Names = Pick<AdView, "ad" | "session">;

/** Longer than columns and identifiers mostly are. */
const LENGTH = 240;

/**
 * What escapes, forms, URLs and JSON have a meaning for; an escape that isn't one; letters that latin-1 doesn't have, one
 * of them with its accent apart; and one that takes two UTF-16 units.
 */
const MARKS = " a+b&c=d%25%2F %/?#\"\\'<;,> e\u0301 \u00df\u0130 \u5e83\u544a \u{1f389} ";

/** Of the showing with this number: no other has the same. */
export function namesOf(number: number, spelling: "plain" | "unusual" = "plain"): Names {
  const ad = `ad-${number}`;
  const session = `session-${number}`;
  if (spelling === "plain") return { ad, session };
  return { ad: unusual(ad), session: unusual(session) };
}

/** The number stands at both ends: what is cut is somebody else's then. A space comes last. */
function unusual(plain: string): string {
  const end = ` ${plain} `;
  return `${plain}${MARKS}`.padEnd(LENGTH - end.length, "long ") + end;
}

/** Of a name as much as tells it from others. */
export function adInWords(ad: string): string {
  const isPlain = /^[\w-]{1,64}$/.test(ad);
  return isPlain ? ad : `an ad with an unusual name, ${oneLine(JSON.stringify(ad), 24)}`;
}

/** What can't be told from others by its looks is escaped: accents, spaces, signs that look alike. */
export function escapedText(text: string | undefined): string {
  if (text === undefined) return "left out";
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );
}
