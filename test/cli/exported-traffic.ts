/** What the player itself sends of a scenario's first traffic step. */

import { createSimulator } from "../../src/index.ts";
import { createTrafficSource } from "../../src/play/traffic/source.ts";
import type { Traffic } from "../../src/play/traffic/traffic.ts";

/** When its requests are due, in milliseconds from the beginning. */
export function dueTimes(traffic: Traffic): readonly number[] {
  const source = createTrafficSource({
    traffic,
    members: [createSimulator().publishers.at(0)],
    ...{ seed: "adsim", startMs: Date.parse("2026-01-15T00:00:00Z"), number: 0 },
    observe: () => undefined,
  });
  const times: number[] = [];
  for (let next = source.next(); next !== undefined; next = source.next()) times.push(next.dueMs);
  return times;
}
