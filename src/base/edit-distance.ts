/** How far apart two texts are: for saying what somebody may have meant. */

/** Longer texts are compared by their beginnings: the work grows with the square of the length. */
const LONGEST = 256;

/** How many characters must be put in, taken out or replaced to make one text of the other. */
export function editDistance(left: string, right: string): number {
  const [one, other] = [left.slice(0, LONGEST), right.slice(0, LONGEST)];
  let row = Uint16Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at += 1) {
    const next = new Uint16Array(row.length);
    next[0] = at + 1;
    for (let to = 0; to < other.length; to += 1) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next[to + 1] = Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1);
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Whether the texts may be at most `most` apart: cheap, and rules out nearly all that are not. */
export function mayBeWithin(most: number, left: string, right: string): boolean {
  const length = Math.max(left.length, right.length);
  const shorter = Math.min(left.length, right.length);
  if (length - shorter > most) return false;
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  // Mistakes that are few mostly lie close together.
  return length - start - end <= most + 4;
}
