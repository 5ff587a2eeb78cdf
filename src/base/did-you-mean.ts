/** Suggests a known name for a misspelt one, and lists names in a sentence. */

import leven from "leven";

/** ` Did you mean "first"?`, or an empty text if no known name is close. Never repeats what was sent. */
export function didYouMean(sent: string, known: readonly string[]): string {
  const nearest = nearestName(sent, known);
  return nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
}

/** What is wrong with a member that isn't known: the nearest known one, or all of them. Doesn't end in a full stop. */
export function unknownMember(sent: string, known: readonly string[]): string {
  const hint = didYouMean(sent, known) || ` Known: ${formatList(known)}`;
  return known.length === 0 ? "is not known here" : `is not known here.${hint}`;
}

/** The known name that is closest to `sent`, if one is close enough. */
export function nearestName(sent: string, known: readonly string[]): string | undefined {
  const wanted = sent.toLowerCase();
  let nearest: string | undefined;
  // With more than one mistake in six characters it is probably another word.
  let least = sent.length < 2 ? 1 : Math.min(3, Math.ceil(sent.length / 6)) + 1;
  for (const name of known) {
    const distance = mistakesIn(wanted, name.toLowerCase());
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  if (nearest !== undefined || sent.length < 3) return nearest;
  // The beginning of only one: `within` for `withinMs`.
  const begun = known.filter(
    (name) => name.toLowerCase().startsWith(wanted) && /^[^a-z]/.test(name.slice(wanted.length)),
  );
  return begun.length === 1 ? begun[0] : undefined;
}

/** The edit distance, but two swapped letters count as one mistake. */
function mistakesIn(wanted: string, name: string): number {
  const at = [...wanted].findIndex((character, place) => character !== name[place]);
  const swapped = wanted.slice(0, at) + wanted.slice(at).replace(/^(.)(.)/s, "$2$1");
  return at >= 0 && swapped === name ? 1 : editDistance(wanted, name);
}

/** How many characters must be inserted, deleted or replaced to turn one text into the other. Compares their beginnings. */
export function editDistance(left: string, right: string): number {
  // The work grows with the square of the length.
  return leven(left.slice(0, 256), right.slice(0, 256));
}

/** `impression, click and stats`; of more than 20 names, the first 20 and the number of the others. */
export function formatList(names: readonly string[], last = "and"): string {
  if (names.length > 20) return `${names.slice(0, 20).join(", ")} and ${names.length - 20} more`;
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
}
