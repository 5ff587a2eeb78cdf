/** Where the user is: everything about it stands in the address's hash, so that a link can be shared and "back" works. */

import { useEffect, useState } from "preact/hooks";

/** Names and values of the hash, such as `view` and `at`. */
export type Place = Readonly<Record<string, string>>;

/** Names to change; undefined and empty values leave the address. */
export type Move = Readonly<Record<string, string | undefined>>;

/** Names that filter the list of exchanges. */
export const filterNames = [
  "text",
  "operation",
  "status",
  "publisher",
  "producer",
  "books",
  "faults",
] as const;

/** A place whose list isn't filtered. */
export const unfiltered: Move = Object.fromEntries(filterNames.map((name) => [name, undefined]));

/** Browsers ignore a page that changes its address more than 20 times a second. */
const SETTLE_MS = 150;

let place = placeIn(location.hash);
/** The hash that the address has, or will have: the browser tells of it later, when this page may be elsewhere already. */
let written = hashOf(place);
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

addEventListener("hashchange", () => {
  const read = placeIn(location.hash);
  if (hashOf(read) === written) return;
  written = hashOf(read);
  place = read;
  for (const listener of listeners) listener();
});

function placeIn(hash: string): Place {
  return Object.fromEntries(new URLSearchParams(hash.slice(1)));
}

function hashOf(to: Place): string {
  return `#${new URLSearchParams(to)}`;
}

function moved(move: Move): Place {
  const entries = Object.entries({ ...place, ...move });
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""),
  );
}

/** The address of a place that differs from this one, for links. A link that filters replaces the whole filter. */
export function linkTo(move: Move): string {
  const isFilter = filterNames.some((name) => move[name] !== undefined);
  return hashOf(moved(isFilter ? { ...unfiltered, ...move } : move));
}

/** `replace` takes the current step of the history, for what changes often. */
export function go(move: Move, how: "push" | "replace" = "push"): void {
  const next = moved(move);
  if (hashOf(next) === hashOf(place)) return;
  clearTimeout(timer);
  if (how === "push") {
    // What was replaced and hasn't settled yet belongs to the step before.
    if (written !== hashOf(place)) location.replace(hashOf(place));
    written = hashOf(next);
    location.hash = written;
  } else {
    timer = setTimeout(() => {
      written = hashOf(place);
      location.replace(written);
    }, SETTLE_MS);
  }
  place = next;
  for (const listener of listeners) listener();
}

export function usePlace(): Place {
  const [, update] = useState(place);
  useEffect(() => {
    const listener = (): void => update(place);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return place;
}
