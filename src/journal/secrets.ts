/** What a journal shows only when asked to: API keys and UPI ids, in any place and spelling. */

import { utf8Length } from "../base/text.ts";

/** What stands in a secret's place. */
export const REDACTED: string = "(redacted)";

/**
 * The text without the secrets in it. A key in the wrong place is still a key, and so is one in another spelling.
 * `standIn` gives what stands in a secret's place, {@link REDACTED} unless told.
 */
export function withoutSecrets(text: string, standIn: StandIn = () => REDACTED): string {
  if (!anySign.test(text)) return text;
  const redacted = text
    .replaceAll(anyKey, (key) => standIn(key))
    .replaceAll(upiMember, (_, opening: string, id: string) => opening + standIn(id));
  return withoutAddresses(redacted, standIn);
}

type StandIn = (secret: string) => string;

/** The text with stars in the place of secrets, as many as they have bytes: places in it stay as they are. */
export function masked(text: string): string {
  return withoutSecrets(text, (secret) => "*".repeat(utf8Length(secret)));
}

/** The same for bytes: each is taken for the character with its number. All secrets are ASCII. */
export function bytesWithoutSecrets(bytes: Uint8Array): Uint8Array {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  const redacted = withoutSecrets(text);
  return redacted === text ? bytes : Uint8Array.from(redacted, (one) => one.charCodeAt(0));
}

const PIECE = 0x2000;

/** Whatever spelling a secret has, one of these is in it. Most texts have none, and are looked at once. */
const anySign = /key_|upi_id|[@%]|\\u00/i;

// A character as it is, percent-encoded (its percent sign too, as often as it may be), or escaped in JSON.
const encoded = "(?:%(?:25)*|\\\\u00)";

function spelled(character: string): string {
  const spellings = [character.toLowerCase(), character.toUpperCase()].map((one) =>
    one.charCodeAt(0).toString(16).padStart(2, "0"),
  );
  return `(?:${character}|${encoded}(?:${spellings.join("|")}))`;
}

/** A key that was cut off is the better part of one: eight of its characters are enough. */
const anyKey: RegExp = new RegExp(
  `${Array.from("key_", spelled).join("")}(?:[0-9a-z]|${encoded}(?:3[0-9]|[46][1-9a-f]|[57][0-9a])){8,13}`,
  "gi",
);

/** The member of a payout, which need not come to its end. */
const upiMember = /("upi_id"\s*:\s*")([^"]+)/g;

/** The end of every UPI id here: a provider that can't exist. */
const anyProvider: RegExp = new RegExp(Array.from("@invalid", spelled).join(""), "gi");

function withoutAddresses(text: string, standIn: StandIn): string {
  let kept = "";
  let done = 0;
  for (const { index, 0: provider } of text.matchAll(anyProvider)) {
    // The part before it is looked for from its end: a pattern would try each place before it as a beginning.
    const start = Math.max(done, startOfLocalPart(text, index));
    const end = index + provider.length;
    kept += text.slice(done, start) + standIn(text.slice(start, end));
    done = end;
  }
  return done === 0 ? text : kept + text.slice(done);
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const encodedTail = /^(?:%(?:25)*|\\u00)(?:2[de]|3[0-9]|5f|[46][1-9a-f]|[57][0-9a])/i;
const encodedOther = /^(?:(?:%(?:25)*|\\u00)[0-9a-f]{2}|\\.)/i;
const ENCODED_LENGTH = 32;

/** Where the letters, digits, dots, hyphens and underscores before `end` begin, encoded ones among them. */
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
      // Another character that was encoded: what was taken for letters is the end of it.
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
