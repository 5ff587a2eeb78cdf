/**
 * Keyed randomness. seedrandom turns a label into a key once. Every draw after that is a pure integer hash of
 * (key, ordinal): there is no generator state to save, and no draw depends on another.
 */

import alea from "seedrandom/lib/alea.js";

/** 64 bits that select one stream of draws. */
export interface Key {
  readonly a: number;
  readonly b: number;
}

/** The key of the stream that `labels` name under `seed`. Takes microseconds: derive it once and keep it. */
export function deriveKey(seed: string, ...labels: readonly (string | number)[]): Key {
  const generator = alea(JSON.stringify([seed, ...labels]));
  return { a: generator.int32(), b: generator.int32() };
}

/** The key of stream number `ordinal` in the family of `key`. Cheaper than a label. */
export function subKey(key: Key, ordinal: number): Key {
  return { a: draw(key, ordinal) | 0, b: draw(key, ordinal + 0x1_0000_0000) | 0 };
}

/** The key of the stream that a text names in the family of `key`. Takes a few operations per character. */
export function textKey(key: Key, text: string): Key {
  const { a, b } = hashText(text, key);
  return { a: mix(a ^ Math.imul(b, 0x85ebca77)), b: mix(b + a) };
}

/** Hashes a text to 64 bits, beginning with those of `start`. */
export function hashText(text: string, start: Key): Key {
  let { a, b } = start;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
    a ^= b >>> 15;
  }
  return { a, b };
}

/** Draw number `ordinal` (an integer up to 2^53 - 1; a few below 0 are fine) of a stream: an integer from 0 to 2^32 - 1. */
function draw(key: Key, ordinal: number): number {
  const low = mix(key.a ^ Math.imul(ordinal | 0, 0x9e3779b1));
  return mix((low + key.b) ^ Math.imul((ordinal / 0x1_0000_0000) | 0, 0x85ebca77)) >>> 0;
}

/** A draw spread evenly over the integers from `lowest` to `highest`, both included. */
export function drawBetween(key: Key, ordinal: number, lowest: number, highest: number): number {
  return lowest + Math.floor((draw(key, ordinal) / 0x1_0000_0000) * (highest - lowest + 1));
}

/** A draw from 0 up to, but not including, 1. It is below a share with exactly that chance. */
export function drawFraction(key: Key, ordinal: number): number {
  return draw(key, ordinal) / 0x1_0000_0000;
}

/** Returns the next draw: an integer from 0 to `below` - 1. */
export type NextDraw = (below: number) => number;

/** Takes the draws of a stream one after the other. */
export function drawsFrom(key: Key): NextDraw {
  let drawn = 0;
  return (below) => {
    drawn += 1;
    return drawBetween(key, drawn, 0, below - 1);
  };
}

/** A bijection that spreads every input bit over all 32 output bits. */
export function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
