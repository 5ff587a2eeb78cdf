/** How the comparisons print: ratios with their spread, in tables that fit into a page of Markdown. */

import { median } from "./measure.ts";

/** Two digits that count: `0.86`, `0.043`, `12`. */
export function rounded(value: number): string {
  const digits = { minimumSignificantDigits: 2, maximumSignificantDigits: 2 };
  return value.toLocaleString("en-US", digits);
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Round by round. */
export function ratios(values: readonly number[], base: readonly number[]): number[] {
  return values.map((value, round) => value / (base[round] ?? Number.NaN));
}

/** The median, and the lowest and highest: `0.86 (0.84 to 0.88)`. */
export function spreadOf(values: readonly number[]): string {
  const spread = `${rounded(Math.min(...values))} to ${rounded(Math.max(...values))}`;
  return `${rounded(median(values))} (${spread})`;
}

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [lines[0], `|${"---|".repeat(head.length)}`, ...lines.slice(1)].join("\n");
}

/** The list begun elsewhere in each round: who goes first finds another machine than who follows. */
export function rotated<Item>(items: readonly Item[], round: number): Item[] {
  const first = (round + items.length) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
