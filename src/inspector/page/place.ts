/** Where the user is. All of it stands in the address's hash, so that a link can be shared and "back" works. */

import { useEffect, useState } from "preact/hooks";

/** Names and values of the hash: `at`, `tab`, `text`, `show`, `view`, `section`; `world` in a file. */
export type Place = Readonly<Record<string, string>>;

/** Undefined and empty values leave the address. */
export type Move = Readonly<Record<string, string | undefined>>;

/** Browsers ignore a page that changes its address too often, as while somebody types. */
const SETTLE_MS = 150;

let place = placeIn(location.hash);
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

addEventListener("hashchange", () => {
  const read = placeIn(location.hash);
  if (hashOf(read) !== hashOf(place)) settle(read);
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

function settle(next: Place): void {
  clearTimeout(timer);
  place = next;
  for (const listener of listeners) listener();
}

export function linkTo(move: Move): string {
  return hashOf(moved(move));
}

/** `replace` takes the current step of the browser's history, for what changes often. */
export function go(move: Move, how: "push" | "replace" = "push"): void {
  const next = moved(move);
  const hash = hashOf(next);
  if (hash === hashOf(place)) return;
  settle(next);
  if (how === "push") location.hash = hash;
  else timer = setTimeout(() => location.replace(hash), SETTLE_MS);
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
