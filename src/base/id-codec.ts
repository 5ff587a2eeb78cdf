/**
 * Ids without a table. An id is a keyed permutation of (publisher, serial) with a check part: it looks random, decodes
 * back, and one that was made up, mistyped or cut short is refused without a look-up.
 */

import { deriveKey, mix } from "./random.ts";

/** What an id stands for: `publisher` is an ordinal below 2^24, `serial` an integer below 2^32. */
export interface IdParts {
  readonly publisher: number;
  readonly serial: number;
}

/** Writes and reads the ids of one kind. */
export interface IdCodec {
  encode(publisher: number, serial: number): string;
  /** @returns undefined for a text that `encode` never gives. */
  decode(text: string): IdParts | undefined;
}

/** How 64 permuted bits look as text. */
export interface IdFormat {
  render(prefix: string, high: number, low: number): string;
  /** Calls `found` with the bits and returns its answer; undefined when the text doesn't have this form. */
  read(prefix: string, text: string): { high: number; low: number } | undefined;
}

const CHECK_BITS = 0b1010_0110;

/**
 * The codec of one kind of id (`kind` keys the permutation, `prefix` is its visible part) under a seed. Codecs of one
 * kind with different `check` parts never give the same id, nor read each other's.
 */
export function createIdCodec(
  seed: string,
  kind: string,
  prefix: string,
  format: IdFormat,
  check: number = CHECK_BITS,
): IdCodec {
  const outer = deriveKey(seed, "id", kind, "outer");
  const inner = deriveKey(seed, "id", kind, "inner");
  return {
    encode(publisher, serial) {
      // Four Feistel rounds: each half is masked by a keyed hash of the other.
      let high = (publisher << 8) | check | 0;
      let low = serial | 0;
      low ^= mix(high + outer.a);
      high ^= mix(low + outer.b);
      low ^= mix(high + inner.a);
      high ^= mix(low + inner.b);
      return format.render(prefix, high >>> 0, low >>> 0);
    },
    decode(text) {
      const bits = format.read(prefix, text);
      if (bits === undefined) return undefined;
      let { high, low } = bits;
      high ^= mix(low + inner.b);
      low ^= mix(high + inner.a);
      high ^= mix(low + outer.b);
      low ^= mix(high + outer.a);
      if ((high & 0xff) !== check) return undefined;
      return { publisher: high >>> 8, serial: low >>> 0 };
    },
  };
}

// Crockford's alphabet: no i, l, o, u, so ids read aloud well and spell nothing.
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
    // One call makes one flat string; adding up pairs would leave a chain of pieces to whoever keeps the id.
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
      // The last character carries 4 bits: one above would make a second spelling of the same id.
      const bits = index === LENGTH - 1 ? 4 : 5;
      if (value >= 1 << bits) return undefined;
      high = (high << bits) | (low >>> (32 - bits));
      low = (low << bits) | value;
    }
    return { high: high >>> 0, low: low >>> 0 };
  },
};
