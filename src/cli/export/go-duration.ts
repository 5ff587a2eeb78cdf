/** Durations as k6 reads them, which is written in Go. */

import { HOUR_MS, MINUTE_MS } from "../../base/duration.ts";

/** `90m`, `36s` or `1500ms`: in the largest unit that it is whole in. */
export function goDuration(ms: number): string {
  const [unit, length] = units.find(([, unitMs]) => ms > 0 && ms % unitMs === 0) ?? ["s", 1000];
  return `${ms / length}${unit}`;
}

const units = [
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", 1000],
  ["ms", 1],
] as const;
