/** What makes two impressions of a publisher the same, in 64 bits. */

import { type Key, mix } from "../base/random.ts";

/** 64 bits, as two signed numbers: those need no box. */
export interface Fingerprint {
  readonly a: number;
  readonly b: number;
}

/** An ad and the session that saw it: two stretches of one text, so that nobody has to cut them out of a body. */
export interface Showing {
  readonly text: string;
  readonly adFrom: number;
  /** Behind the last character of the ad. */
  readonly adTo: number;
  readonly sessionFrom: number;
  readonly sessionTo: number;
}

export function showingOf(adId: string, sessionId: string): Showing {
  const text = adId + sessionId;
  const between = adId.length;
  return { text, adFrom: 0, adTo: between, sessionFrom: between, sessionTo: text.length };
}

/** The fingerprint of a showing on a surface. Two that differ share one with a chance of 2^-64. */
export function fingerprint(key: Key, surfaceIndex: number, showing: Showing): Fingerprint {
  const { text, adFrom, adTo, sessionFrom, sessionTo } = showing;
  // The step of `textKey`, written out for both stretches: a function for it would have to return a pair.
  let a = key.a ^ surfaceIndex;
  let b = key.b + adTo - adFrom;
  for (let index = adFrom; index < adTo; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
    a ^= b >>> 15;
  }
  for (let index = sessionFrom; index < sessionTo; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
    a ^= b >>> 15;
  }
  return { a: mix(a ^ Math.imul(b, 0x85ebca77)), b: mix(b + a) };
}

/** Without the ad: what it is makes no difference. */
export function withoutAd(showing: Showing): Showing {
  return { ...showing, adTo: showing.adFrom };
}
