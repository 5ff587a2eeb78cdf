/**
 * How ids look: the choices of `ids.format`. Each format is a bijection from 64 bits. The room left over is filled with
 * check bits, so that an invented, mistyped or truncated id is rejected.
 */

import type { IdFormat } from "./id-codec.ts";
import { mix } from "./random.ts";

// Crockford's alphabet: without i, l, o and u, ids are easy to read aloud and spell no words.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const codes = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const values = Int8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
);
const LENGTH = 13;

/** The character code of the lowest five bits. */
function code(bits: number): number {
  return codes[bits & 31] ?? 0;
}

/** `imp_` and 13 characters of Crockford's base 32, lower case: the choice `prefixed` of `ids.format`. */
export const prefixedIds: IdFormat = {
  render(prefix, high, low) {
    // One call makes one flat string. Concatenation would make a rope, which takes more memory as long as the id lives.
    const characters = String.fromCharCode(
      code(high >>> 27),
      code(high >>> 22),
      code(high >>> 17),
      code(high >>> 12),
      code(high >>> 7),
      code(high >>> 2),
      code(((high & 3) << 3) | (low >>> 29)),
      code(low >>> 24),
      code(low >>> 19),
      code(low >>> 14),
      code(low >>> 9),
      code(low >>> 4),
      code(low & 15),
    );
    return prefix + characters;
  },
  read(prefix, text) {
    if (text.length !== prefix.length + LENGTH || !text.startsWith(prefix)) return undefined;
    let high = 0;
    let low = 0;
    for (let index = 0; index < LENGTH; index += 1) {
      const code = text.charCodeAt(prefix.length + index);
      const value = code < 128 ? (values[code] ?? -1) : -1;
      if (value < 0) return undefined;
      // The last character carries 4 bits. A fifth would allow a second spelling of the same id.
      const bits = index === LENGTH - 1 ? 4 : 5;
      if (value >= 1 << bits) return undefined;
      high = (high << bits) | (low >>> (32 - bits));
      low = (low << bits) | value;
    }
    return { high: high >>> 0, low: low >>> 0 };
  },
};

/** A lower-case UUID of version 4. 58 of its bits are check bits. */
export const uuidIds: IdFormat = {
  render(prefix, high, low) {
    const salt = saltOf(prefix);
    const check = checkWord(salt, high, low, 0);
    const words = [
      high,
      (low & 0xffff_0000) | 0x4000 | (check >>> 20),
      // The top two bits are the variant of RFC 9562.
      0x8000_0000 | ((check & 0x3fff) << 16) | (low & 0xffff),
      checkWord(salt, high, low, 1),
    ];
    const hex = words.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  },
  read(prefix, text) {
    if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return undefined;
    const high = Number.parseInt(text.slice(0, 8), 16);
    const low = Number.parseInt(text.slice(9, 13) + text.slice(24, 28), 16);
    return uuidIds.render(prefix, high, low) === text ? { high, low } : undefined;
  },
};

/** Above 2^53 and 20 digits long. The range up to 10^20 leaves room for only 2 check bits. */
const LEAST = 10_000_000_000_000_000_000n;

/** 20 decimal digits. A client that parses them as a number ends up with a different id. */
export const digitIds: IdFormat = {
  render(prefix, high, low) {
    const check = checkWord(saltOf(prefix), high, low, 0) & 3;
    return String(LEAST + (((BigInt(high) << 32n) | BigInt(low)) << 2n) + BigInt(check));
  },
  read(prefix, text) {
    if (!/^[1-8]\d{19}$/.test(text)) return undefined;
    const bits = (BigInt(text) - LEAST) >> 2n;
    const high = Number(bits >> 32n);
    const low = Number(bits & 0xffff_ffffn);
    return digitIds.render(prefix, high, low) === text ? { high, low } : undefined;
  },
};

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The base 64 of 14 bytes. Two of its characters are always `+` and `/`; 36 bits are check bits. */
export const urlUnsafeIds: IdFormat = {
  render(prefix, high, low) {
    const salt = saltOf(prefix);
    const first = checkWord(salt, high, low, 0);
    const second = checkWord(salt, high, low, 1);
    const bits = [high >>> 26, high >>> 20, high >>> 14, high >>> 8, high >>> 2];
    bits.push((high << 4) | (low >>> 28), low >>> 22, low >>> 16, low >>> 10, low >>> 4);
    bits.push((low << 2) | (second & 3));
    bits.push(first >>> 26, first >>> 20, first >>> 14, first >>> 8, first >>> 2);
    // The last sextet of 14 bytes has two bits that are always 0.
    bits.push(second & 0b11_1100);
    const text = bits.map((sextet) => BASE64[sextet & 63]).join("");
    return `${text.slice(0, 4)}+${text.slice(4, 8)}/${text.slice(8)}=`;
  },
  read(prefix, text) {
    if (!/^[A-Za-z0-9+/]{4}\+[A-Za-z0-9+/]{4}\/[A-Za-z0-9+/]{9}=$/.test(text)) return undefined;
    const sextets = text.slice(0, 4) + text.slice(5, 9) + text.slice(10, 13);
    let high = 0;
    let low = 0;
    for (const [index, character] of [...sextets].entries()) {
      // The eleventh character carries only 4 bits of the id.
      const count = index === 10 ? 4 : 6;
      const value = BASE64.indexOf(character) >>> (6 - count);
      high = (high << count) | (low >>> (32 - count));
      low = (low << count) | value;
    }
    high >>>= 0;
    low >>>= 0;
    return urlUnsafeIds.render(prefix, high, low) === text ? { high, low } : undefined;
  },
};

/** Gives each kind of id its own check bits. */
function saltOf(prefix: string): number {
  let salt = 0;
  for (let index = 0; index < prefix.length; index += 1) {
    salt = mix(salt ^ prefix.charCodeAt(index));
  }
  return salt;
}

/** 32 bits derived from an id's kind, its bits and `index`. */
function checkWord(salt: number, high: number, low: number, index: number): number {
  const start = mix(salt + Math.imul(index + 1, 0x9e3779b1));
  return mix(mix(mix(start ^ high) + low) ^ start) >>> 0;
}
