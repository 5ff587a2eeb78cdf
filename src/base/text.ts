/** Text as bytes, base 64 and printable lines. Works without Node's Buffer. */

/** The length of a string in bytes of UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Each half of a surrogate pair counts as 2 bytes, and the pair as 4.
    if (code >= 0x80) bytes += code < 0x800 || (code & 0xf800) === 0xd800 ? 1 : 2;
  }
  return bytes;
}

/** Foreign text on one line, without control characters, cut to at most `most` characters. */
export function oneLine(text: string, most: number): string {
  return shortened(text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, " "), most);
}

/** At most `most` characters. A shortened text ends in "…". */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** A name from outside, as errors repeat it. */
export function shownName(name: string): string {
  return printable(shortened(name, 60));
}

/**
 * Escapes the characters of a foreign text that control a terminal, are invisible or change the direction of text: control
 * characters, line breaks and separators, tabs, direction marks. The value of a JSON text doesn't change.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, escapeOf);
}

/** Does the same as {@link printable}, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, printable);
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeOf(character: string): string {
  const codes = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return escapes[character] ?? codes.map((code) => `\\u${code}`).join("");
}

/** The result of `decode`; undefined if it throws. */
export function orUndefined<Result>(decode: () => Result): Result | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

/** Decodes percent-encoding; undefined if the result isn't valid UTF-8. */
export function percentDecoded(text: string): string | undefined {
  return orUndefined(() => decodeURIComponent(text));
}

/** The text of a body with its byte order mark, if it has one; undefined if the bytes aren't valid UTF-8. */
export function utf8Text(body: string | Uint8Array): string | undefined {
  if (typeof body === "string") return body;
  return orUndefined(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
}

/** The text of any body. Bytes that aren't valid UTF-8 become U+FFFD, and a byte order mark in bytes is left out. */
export function lenientText(body: string | Uint8Array): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

/** Base 64 of any bytes. */
export function toBase64(bytes: Uint8Array): string {
  let characters = "";
  // In pieces, since a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x3000)
    characters += String.fromCharCode(...bytes.subarray(at, at + 0x3000));
  return btoa(characters);
}

/** Decodes base 64. @throws DOMException if the text isn't base 64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text);
  return new Uint8Array(characters.length).map((_, at) => characters.charCodeAt(at));
}

/** Indented JSON with a line break at the end. */
export function indentedJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
