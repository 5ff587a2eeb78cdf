/** A 64-bit fingerprint of an impression. Duplicates of a publisher's impression have the same one. */

import { type Key, mix } from "../../base/random.ts";
import { TextHash } from "../../base/text-hash.ts";

/** 64 bits as two signed 32-bit numbers, which V8 stores without allocating. */
export interface Fingerprint {
  readonly a: number;
  readonly b: number;
}

/** An ad and its session, each as its 64-bit {@link TextHash}. */
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

/** The fingerprint of an ad view on a surface. Different ad views share one with a probability of 2^-64. */
export function fingerprint(key: Key, surfaceIndex: number, dedupInput: DedupInput): Fingerprint {
  const { adA, adB, sessionA, sessionB } = dedupInput;
  const left = mix(mix((key.a ^ adA) + surfaceIndex) ^ sessionA);
  const right = mix(mix(key.b ^ adB) + sessionB);
  // Both steps are bijections, so they cause no collisions.
  const a = mix(left ^ Math.imul(right, 0x85ebca77));
  return { a, b: mix(right + a) };
}

/** For de-duplication that ignores the ad. */
export function withoutAd(dedupInput: DedupInput): DedupInput {
  return { ...dedupInput, adA: 0, adB: 0 };
}
