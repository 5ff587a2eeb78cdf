/** Latencies as text that HDR histogram tools of any language read: the compressed encoding (V2) in base64. */

import {
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
} from "hdr-histogram-js/dist/encoding.js";
import { type Histogram, type Latencies, type LatencySummary, latenciesIn } from "./latencies.ts";

export function encodeLatencies(latencies: Latencies): string {
  return encodeIntoCompressedBase64(latencies.toHistogram());
}

/** `exact`: as in the summary, if it is known. @throws Error for any other text. */
export function decodeLatencies(
  text: string,
  exact?: Pick<LatencySummary, "max" | "mean">,
): Latencies {
  // The cast is safe: the decoder's default is a histogram of 32 bits in JavaScript.
  return latenciesIn(decodeFromCompressedBase64(text) as Histogram, exact);
}
