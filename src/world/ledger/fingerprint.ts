/** What makes two impressions of a publisher the same, in 64 bits. */

import { type Key, mix } from "../../base/random.ts";
import { TextHash } from "../../base/text-hash.ts";

/** 64 bits, as two signed numbers: those need no box. */
export interface Fingerprint {
  readonly a: number;
  readonly b: number;
}

/** An ad and the session that saw it, each as the 64 bits of its {@link TextHash}. */
export interface DedupInput {
  readonly adA: number;
  readonly adB: number;
  readonly sessionA: number;
  readonly sessionB: number;
}

export function dedupInputOf(adId: string, sessionId: string): DedupInput {
  const text = new TextHash();
  text.take(adId);
  const { a: adA, b: adB } = text;
  text.take(sessionId);
  return { adA, adB, sessionA: text.a, sessionB: text.b };
}

/** The fingerprint of a showing on a surface. Two that differ share one with a chance of 2^-64. */
export function fingerprint(key: Key, surfaceIndex: number, dedupInput: DedupInput): Fingerprint {
  const { adA, adB, sessionA, sessionB } = dedupInput;
  const left = mix(mix((key.a ^ adA) + surfaceIndex) ^ sessionA);
  const right = mix(mix(key.b ^ adB) + sessionB);
  // Two steps of which each can be undone: they bring no two together.
  const a = mix(left ^ Math.imul(right, 0x85ebca77));
  return { a, b: mix(right + a) };
}

/** Without the ad: what it is makes no difference. */
export function withoutAd(dedupInput: DedupInput): DedupInput {
  return { ...dedupInput, adA: 0, adB: 0 };
}
