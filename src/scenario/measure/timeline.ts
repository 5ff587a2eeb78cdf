/** Stands in. */
import type { Exchange } from "../player/effects.ts";
import type { PlayResult } from "../player/result.ts";
export interface Timeline {
  count(exchange: Exchange, creditedMicros: number): void;
  summary(): PlayResult["timeline"];
}
export function createTimeline(_startMs: number): Timeline {
  return { count: () => undefined, summary: () => ({ bucketMs: 100, buckets: [] }) };
}
