/** Counts in sentences. */

/** `1 impression`, `2 impressions`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
