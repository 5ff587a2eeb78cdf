/** A digest of text. It detects damage and edits, but isn't cryptographic: it can be forged. */

import { mix } from "./random.ts";
import { TextHash } from "./text-hash.ts";

/** A digest that is fed piece by piece. */
export interface Digest {
  text(text: string): void;
  /** An integer of up to 32 bits. */
  number(number: number): void;
  /** 64 bits in hex. They depend on the order of all input and on where each text ended. */
  value(): string;
}

/** 64 bits in hex. They depend on the order of the texts and on where each one ends. */
export function digestOf(texts: Iterable<string>): string {
  const digest = createDigest();
  for (const text of texts) digest.text(text);
  return digest.value();
}

export function createDigest(): Digest {
  const hash = new TextHash();
  let a = 0x243f6a88;
  let b = 0x13198a2e;
  return {
    text(text) {
      hash.take(text, a, b);
      a = mix(hash.a + text.length);
      b = mix(hash.b ^ a);
    },
    number(number) {
      a = mix(a ^ number);
      b = Math.imul(b ^ a, 0x5f356495);
    },
    value: () => hex(mix(a ^ Math.imul(b, 0x85ebca77))) + hex(mix(b + a)),
  };
}

function hex(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}
