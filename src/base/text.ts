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

/**
 * Puts a text together that will be kept for long. An engine makes a sum of strings as a tree of its pieces, and keeps
 * all of them for as long as the sum; matching a pattern makes one piece of it for good.
 */
export function putTogether(text: string): void {
  // The result must be looked at, or the engine leaves the matching out.
  if (!START.test(text)) throw new Error("A text without a start. This is a bug in adsim.");
}

const START = /^/;

/** A text of somebody else's on one line that no terminal obeys, of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}

/** The text that bytes are in UTF-8, a byte order mark included; undefined where they are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Base 64 of any bytes. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // A multiple of 3 keeps padding out of the middle.
  for (let at = 0; at < bytes.length; at += 0x6000) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  }
  return pieces.join("");
}

/** The bytes of base 64 text. @throws DOMException when it isn't base 64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
