/** Strings as bytes, for runtimes with and without Node's Buffer. */

/** The length in bytes of a well-formed string in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    // Each half of a surrogate pair counts 2, so that a pair counts 4.
    bytes += code < 0x800 || (code & 0xf800) === 0xd800 ? 1 : 2;
  }
  return bytes;
}

/** A text of somebody else's on one line that no terminal obeys, of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}

/**
 * A foreign text with escapes in place of characters that act on a terminal, are invisible or change the direction of text:
 * controls, line separators, direction marks, line breaks and tabs. JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, escapeOf);
}

/** The same of a text of several lines: its breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, printable);
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeOf(character: string): string {
  const units = character.split("");
  return escapes[character] ?? units.map(codeOf).join("");
}

function codeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The text that was percent-encoded; undefined where it isn't valid UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The text that bytes are in UTF-8, a byte order mark included; undefined where they are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const BASE_64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digits: Uint8Array = new TextEncoder().encode(BASE_64);
const PADDING = 0x3d;

/** Base 64 of any bytes. Written out, for there can be hundreds of megabytes and `btoa` wants them as a string. */
export function toBase64(bytes: Uint8Array): string {
  const { length } = bytes;
  const text = new Uint8Array(Math.ceil(length / 3) * 4);
  let to = 0;
  for (let at = 0; at < length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text[to] = digits[bits >>> 18] ?? 0;
    text[to + 1] = digits[(bits >>> 12) & 63] ?? 0;
    text[to + 2] = at + 1 < length ? (digits[(bits >>> 6) & 63] ?? 0) : PADDING;
    text[to + 3] = at + 2 < length ? (digits[bits & 63] ?? 0) : PADDING;
    to += 4;
  }
  return new TextDecoder().decode(text);
}

/** The bytes of base 64 text. @throws DOMException when it isn't base 64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

/** A value as JSON documents are written: for people to read, with a line break at the end. */
export function indentedJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
