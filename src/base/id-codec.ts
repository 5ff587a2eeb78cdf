/**
 * Ids without a table. An id is a keyed permutation of (publisher, serial) with check bits. It looks random and can be
 * decoded; an invented, mistyped or truncated id is rejected without a look-up. Each choice of `ids.format` is a bijection from
 * those 64 bits to text.
 */

import { deriveKey, mix } from "./random.ts";

/** The ids of one kind. */
export type IdCodec = ReturnType<typeof createIdCodec>;

/** Writes 64 permuted bits as text. */
export interface IdFormat {
  render(prefix: string, high: number, low: number): string;
  /** @returns undefined for a text that `render` never returns, such as another spelling of an id. */
  read(prefix: string, text: string): { high: number; low: number } | undefined;
}

/**
 * Creates the codec of one kind of id under a seed. `kind` keys the permutation; `prefix` is the visible part. Two codecs
 * of a kind with different `check` bits never write the same id and never read each other's.
 */
export function createIdCodec(
  seed: string,
  kind: string,
  prefix: string,
  format: IdFormat,
  check: number = 0b1010_0110,
) {
  const outer = deriveKey(seed, "id", kind, "outer");
  const inner = deriveKey(seed, "id", kind, "inner");
  return {
    /** `publisher` is an ordinal below 2^24, `serial` an integer below 2^32. */
    encode(publisher: number, serial: number): string {
      // Four Feistel rounds: each half is masked by a keyed hash of the other.
      let high = (publisher << 8) | check | 0;
      let low = serial | 0;
      low ^= mix(high + outer.a);
      high ^= mix(low + outer.b);
      low ^= mix(high + inner.a);
      high ^= mix(low + inner.b);
      return format.render(prefix, high >>> 0, low >>> 0);
    },
    /** @returns undefined for a text that `encode` never returns. */
    decode(text: string) {
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

// Crockford's alphabet: without i, l, o and u, ids are easy to read aloud and spell no words.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 13;

/** `imp_` and 13 characters of Crockford's base 32, lower case: the choice `prefixed` of `ids.format`. */
export const prefixedIds: IdFormat = {
  render(prefix, high, low) {
    let text = prefix;
    for (let shift = 27; shift >= 2; shift -= 5) text += ALPHABET[(high >>> shift) & 31];
    text += ALPHABET[((high & 3) << 3) | (low >>> 29)];
    for (let shift = 24; shift >= 4; shift -= 5) text += ALPHABET[(low >>> shift) & 31];
    return text + ALPHABET[low & 15];
  },
  read(prefix, text) {
    if (text.length !== prefix.length + LENGTH || !text.startsWith(prefix)) return undefined;
    let high = 0;
    let low = 0;
    for (let index = 0; index < LENGTH; index += 1) {
      const value = ALPHABET.indexOf(text.charAt(prefix.length + index));
      // A fifth bit of the last character would allow a second spelling of the same id.
      const bits = index === LENGTH - 1 ? 4 : 5;
      if (value < 0 || value >= 1 << bits) return undefined;
      high = (high << bits) | (low >>> (32 - bits));
      low = (low << bits) | value;
    }
    return { high: high >>> 0, low: low >>> 0 };
  },
};

/** A lower-case UUID of version 4. 58 of its bits are check bits. */
export const uuidIds = compared({
  render(prefix, high, low) {
    const [first, second] = checkWords(prefix, high, low);
    const words = [
      high,
      (low & 0xffff_0000) | 0x4000 | (first >>> 20),
      // The top two bits are the variant of RFC 9562.
      0x8000_0000 | ((first & 0x3fff) << 16) | (low & 0xffff),
      second,
    ];
    const hex = words.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  },
  bitsIn(text) {
    const parts = /^([\da-f]{8})-([\da-f]{4})-[\da-f]{4}-[\da-f]{4}-([\da-f]{4})/.exec(text) ?? [];
    return BigInt(`0x0${parts.slice(1).join("")}`);
  },
});

/** Above 2^53 and 20 digits long. The range up to 10^20 leaves room for only 2 check bits. */
const LEAST = 10_000_000_000_000_000_000n;

/** 20 decimal digits. A client that parses them as a number ends up with a different id. */
export const digitIds = compared({
  render(prefix, high, low) {
    const [check] = checkWords(prefix, high, low);
    const bits = (BigInt(high) << 32n) | BigInt(low);
    return String(LEAST + (bits << 2n) + BigInt(check & 3));
  },
  bitsIn: (text) => (/^[1-8]\d{19}$/.test(text) ? (BigInt(text) - LEAST) >> 2n : 0n),
});

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The base 64 of 14 bytes. Two of its characters are always `+` and `/`; 36 bits are check bits. */
export const urlUnsafeIds = compared({
  render(prefix, high, low) {
    const [first, second] = checkWords(prefix, high, low);
    const checks = ((second & 3) << 30) | (first >>> 2);
    // The last sextet of 14 bytes has two bits that are always 0.
    let bits = (BigInt(high) << 70n) | (BigInt(low) << 38n);
    bits |= (BigInt(checks >>> 0) << 6n) | BigInt(second & 0b11_1100);
    let text = "";
    for (; text.length < 17; bits >>= 6n) text = `${BASE64[Number(bits & 63n)]}${text}`;
    return `${text.slice(0, 4)}+${text.slice(4, 8)}/${text.slice(8)}=`;
  },
  bitsIn(text) {
    const sextets = [...(text.slice(0, 4) + text.slice(5, 9) + text.slice(10, 13))];
    const bits = sextets.reduce((all, one) => (all << 6n) | BigInt(BASE64.indexOf(one)), 0n);
    // The eleventh character carries only 4 bits of the id.
    return bits >> 2n;
  },
});

/** A format that reads a text only if it is what its bits are written as. `bitsIn` may return any bits for another text. */
function compared(format: Pick<IdFormat, "render"> & { bitsIn(text: string): bigint }): IdFormat {
  return {
    render: format.render,
    read(prefix, text) {
      const bits = format.bitsIn(text);
      const [high, low] = [Number((bits >> 32n) & 0xffff_ffffn), Number(bits & 0xffff_ffffn)];
      return format.render(prefix, high, low) === text ? { high, low } : undefined;
    },
  };
}

/** Two words of 32 bits derived from an id's kind and bits. */
function checkWords(prefix: string, high: number, low: number): readonly [number, number] {
  let salt = 0;
  for (const character of prefix) salt = mix(salt ^ character.charCodeAt(0));
  const word = (step: number): number => {
    const start = mix(salt + step);
    return mix(mix(mix(start ^ high) + low) ^ start) >>> 0;
  };
  return [word(0x9e3779b1), word(Math.imul(2, 0x9e3779b1))];
}
