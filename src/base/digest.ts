/** A digest of text: it finds damage and edits. It is no proof against somebody who means to forge one. */

import { mix } from "./random.ts";
import { TextHash } from "./text-hash.ts";

/** A digest in the making. */
export interface Digest {
  text(text: string): void;
  /** An integer of up to 32 bits. */
  number(number: number): void;
  /** 64 bits in hex over all that was given, in order, and over where each text ends. */
  value(): string;
}

/** 64 bits in hex over the texts in order, and over where each ends. */
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
