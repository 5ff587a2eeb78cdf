/** How far apart two texts are: for saying what somebody may have meant. */

/** Longer texts are compared by their beginnings: the work grows with the square of the length. */
const LONGEST = 256;

/** How many characters must be put in, taken out or replaced to make one text of the other. */
export function editDistance(left: string, right: string): number {
  const [one, other] = [left.slice(0, LONGEST), right.slice(0, LONGEST)];
  let row = new Uint16Array(other.length + 1);
  let next = new Uint16Array(other.length + 1);
  for (let to = 0; to <= other.length; to += 1) row[to] = to;
  for (let at = 0; at < one.length; at += 1) {
    const code = one.charCodeAt(at);
    let before = at + 1;
    next[0] = before;
    for (let to = 0; to < other.length; to += 1) {
      const replaced = (row[to] ?? 0) + (code === other.charCodeAt(to) ? 0 : 1);
      before = Math.min(replaced, (row[to + 1] ?? 0) + 1, before + 1);
      next[to + 1] = before;
    }
    [row, next] = [next, row];
  }
  return row[other.length] ?? 0;
}

/**
 * Whether the texts may be at most `most` apart, looked at once from each end: rules out nearly all that are not, and of
 * those that are only what has a character too many here and one too few far away.
 */
export function mayBeWithin(most: number, left: string, right: string): boolean {
  const length = Math.max(left.length, right.length);
  const shorter = Math.min(left.length, right.length);
  if (length - shorter > most) return false;
  let start = 0;
  while (start < shorter && left.charCodeAt(start) === right.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && isSameFromEnd(left, right, end)) end += 1;
  // Few mistakes mostly lie close together.
  if (length - start - end <= most + 4) return true;
  let others = length - shorter;
  for (let at = start; at < shorter && others <= most; at += 1) {
    if (left.charCodeAt(at) !== right.charCodeAt(at)) others += 1;
  }
  return others <= most;
}

function isSameFromEnd(left: string, right: string, back: number): boolean {
  return left.charCodeAt(left.length - 1 - back) === right.charCodeAt(right.length - 1 - back);
}
