/** Stands in. */
import type { ThresholdResult } from "../player/result.ts";
export function parseThreshold(threshold: string): string {
  return threshold;
}
export function judgeThreshold(threshold: string, _found: unknown): ThresholdResult {
  return { threshold, verdict: "held", found: "" };
}
