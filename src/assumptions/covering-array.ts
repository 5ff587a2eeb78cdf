/** A stand-in: each other choice alone, and some mixed rows. */

import { deriveKey, drawBetween } from "../base/random.ts";
import { type Assumptions, catalogue, type OpenPoint } from "./catalogue.ts";
import { defaultAssumptions, resolveAssumptions } from "./resolve.ts";

export function coveringArray(options: {
  readonly strength: 1 | 2 | 3;
  readonly seed?: string;
}): readonly Assumptions[] {
  const points = Object.entries<OpenPoint>(catalogue);
  const rows: Record<string, string>[] = [];
  if (options.strength === 1) rows.push({});
  for (const [key, { choices }] of points) {
    for (const choice of Object.keys(choices)) {
      if (options.strength === 1) rows.push({ [key]: choice });
    }
  }
  const random = deriveKey(options.seed ?? "adsim", "stand-in");
  const mixed = options.strength === 1 ? 0 : 30 * (options.strength - 1);
  for (let row = 0; row < mixed; row += 1) {
    rows.push(
      Object.fromEntries(
        points.map(([key, { choices }], index) => {
          const names = Object.keys(choices);
          const at = drawBetween(random, row * points.length + index, 0, names.length - 1);
          return [key, names[at] ?? ""];
        }),
      ),
    );
  }
  return rows.flatMap((row) => {
    try {
      return [resolveAssumptions({ ...defaultAssumptions, ...row })];
    } catch {
      return [];
    }
  });
}
