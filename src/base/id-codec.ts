/**
 * Ids without a table. An id is a keyed permutation of (publisher, serial) with check bits. It looks random and can be
 * decoded; an invented, mistyped or truncated id is rejected without a look-up.
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
