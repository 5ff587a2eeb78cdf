/** A digest of text. It detects damage and edits, but isn't cryptographic: it can be forged. */

import { hashText, mix } from "./random.ts";

/** 64 bits in hex. They depend on the order of the texts and on where each one ends. */
export function digestOf(texts: Iterable<string>): string {
  const digest = createDigest();
  for (const text of texts) digest.text(text);
  return digest.value();
}

/** A digest that is fed piece by piece. */
export function createDigest() {
  let a = 0x243f6a88;
  let b = 0x13198a2e;
  return {
    text(text: string) {
      const hash = hashText(text, { a, b });
      a = mix(hash.a + text.length);
      b = mix(hash.b ^ a);
    },
    /** An integer of up to 32 bits. */
    number(number: number) {
      a = mix(a ^ number);
      b = Math.imul(b ^ a, 0x5f356495);
    },
    /** 64 bits in hex. They depend on the order of all input and on where each text ended. */
    value() {
      const words = [mix(a ^ Math.imul(b, 0x85ebca77)), mix(b + a)];
      return words.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
    },
  };
}
