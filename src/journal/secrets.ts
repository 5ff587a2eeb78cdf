/** Finds and replaces secrets, which are API keys and UPI ids, in any place and spelling. */

import { utf8Length } from "../base/text.ts";

/** Replaces a secret. */
export const REDACTED: string = "(redacted)";

/**
 * The text with its secrets replaced, even those in an unexpected place or spelling. `standIn` returns the replacement of a
 * secret, by default {@link REDACTED}.
 */
export function withoutSecrets(text: string, standIn: StandIn = () => REDACTED): string {
  if (!anySign.test(text)) return text;
  const redacted = text
    .replaceAll(anyKey, (key) => standIn(key))
    .replaceAll(upiMember, (_, opening: string, id: string) => opening + standIn(id));
  return withoutAddresses(redacted, standIn);
}

type StandIn = (secret: string) => string;

/** The beginning of a text without secrets, for people: at most `most` characters, and an ellipsis if it goes on. */
export function shownBeginning(text: string, most: number): string {
  // Only so much is looked through, because texts can be very long. A secret is shorter than what is cut off again.
  const shown = withoutSecrets(text.slice(0, 4 * most));
  return shown.length <= most && text.length <= 4 * most ? shown : `${shown.slice(0, most)}…`;
}

/** The text with its secrets replaced by as many stars as they have bytes, so that positions don't change. */
export function masked(text: string): string {
  return withoutSecrets(text, (secret) => "*".repeat(utf8Length(secret)));
}

/** Replaces secrets in bytes. Reads each byte as the character with that code, because all secrets are ASCII. */
export function bytesWithoutSecrets(bytes: Uint8Array): Uint8Array {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  const redacted = withoutSecrets(text);
  return redacted === text ? bytes : Uint8Array.from(redacted, (one) => one.charCodeAt(0));
}

const PIECE = 0x2000;

/** A quick test: a secret in any spelling contains one of these, and most texts contain none. */
const anySign = /key_|upi_id|[@%]|\\u00/i;

// The beginning of a percent-encoded character (perhaps encoded several times) or of one escaped in JSON, or of one in the other.
const percent = "(?:%|\\\\u0025)(?:25)*";
const encoded = `(?:${percent}|(?:\\\\|${percent}5c)u00)`;

function spelled(character: string): string {
  const spellings = [character.toLowerCase(), character.toUpperCase()].map((one) =>
    one.charCodeAt(0).toString(16).padStart(2, "0"),
  );
  return `(?:${character}|${encoded}(?:${spellings.join("|")}))`;
}

/** Eight characters after `key_` are enough, so that a truncated key is found as well. */
const anyKey: RegExp = new RegExp(
  `${Array.from("key_", spelled).join("")}(?:[0-9a-z]|${encoded}(?:3[0-9]|[46][1-9a-f]|[57][0-9a])){8,13}`,
  "gi",
);

/** The member of a payout. The text may end within it. */
const upiMember = /("upi_id"\s*:\s*")([^"]+)/g;

/** Every UPI id of adsim ends with this provider, which can't exist. */
const anyProvider: RegExp = new RegExp(Array.from("@invalid", spelled).join(""), "gi");

function withoutAddresses(text: string, standIn: StandIn): string {
  let kept = "";
  let done = 0;
  for (const { index, 0: provider } of text.matchAll(anyProvider)) {
    // Searches the local part backwards: a pattern would try every earlier position as its beginning.
    const start = Math.max(done, startOfLocalPart(text, index));
    const end = index + provider.length;
    kept += text.slice(done, start) + standIn(text.slice(start, end));
    done = end;
  }
  return done === 0 ? text : kept + text.slice(done);
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const encodedTail = new RegExp(`^${encoded}(?:2[de]|3[0-9]|5f|[46][1-9a-f]|[57][0-9a])`, "i");
const encodedOther = new RegExp(`^(?:${encoded}[0-9a-f]{2}|\\\\.)`, "i");
const ENCODED_LENGTH = 32;

/** The index where the letters, digits, dots, hyphens and underscores before `end` begin. They may be encoded. */
function startOfLocalPart(text: string, end: number): number {
  let at = end;
  while (at > 0) {
    const code = text.charCodeAt(at - 1);
    if (isLocal(code)) {
      at -= 1;
      continue;
    }
    if (code !== PERCENT && code !== BACKSLASH) return at;
    const from = text.slice(at - 1, Math.min(end, at + ENCODED_LENGTH));
    if (!encodedTail.test(from)) {
      // Another encoded character: what looked like letters is the rest of its code.
      return Math.min(end, at - 1 + (encodedOther.exec(from)?.[0].length ?? 1));
    }
    at -= 1;
  }
  return at;
}

function isLocal(code: number): boolean {
  const lower = code | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f
  );
}
