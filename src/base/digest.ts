/** A digest of text: it finds damage and edits. It is no proof against somebody who means to forge one. */

import { mix } from "./random.ts";

/** 64 bits in hex over the texts in order, and over where each ends. */
export function digestOf(texts: Iterable<string>): string {
  let a = 0x243f6a88;
  let b = 0x13198a2e;
  for (const text of texts) {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
      a ^= b >>> 15;
    }
    a = mix(a + text.length);
    b = mix(b ^ a);
  }
  return hex(mix(a ^ Math.imul(b, 0x85ebca77))) + hex(mix(b + a));
}

function hex(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}
