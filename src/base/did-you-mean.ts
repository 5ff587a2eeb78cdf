/** What somebody may have meant by a name that isn't known here. */

import { editDistance } from "./edit-distance.ts";

/** More names than these aren't looked through. */
const MOST_NAMES = 2000;

/** ` Did you mean "first"?`, with one of the known names; empty where none is near. It repeats nothing of what was sent. */
export function didYouMean(sent: string, known: readonly string[]): string {
  const wanted = sent.toLowerCase();
  let nearest: string | undefined;
  // Two letters that changed places are two mistakes.
  let least = (sent.length < 4 ? 1 : Math.max(2, Math.floor(sent.length / 3))) + 1;
  for (const name of known.slice(0, MOST_NAMES)) {
    if (Math.abs(name.length - sent.length) >= least) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
}

/** `impression, click and stats`; of many the first ones. */
export function listed(names: readonly string[], last = "and"): string {
  if (names.length > 20) return `${names.slice(0, 20).join(", ")} and ${names.length - 20} more`;
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
}
