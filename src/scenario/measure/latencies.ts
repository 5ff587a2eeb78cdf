/** Stands in. */
import type { LatencySummary } from "../player/result.ts";
export interface Latencies {
  record(latencyMs: number): void;
  summary(): LatencySummary | undefined;
}
export function createLatencies(): Latencies {
  return { record: () => undefined, summary: () => undefined };
}
