/** Where the user is. All of it stands in the address's hash, so that a link can be shared and "back" works. */

import { useEffect, useState } from "preact/hooks";

/** Names and values of the hash: `at`, `tab`, `text`, `show`, `view`, `section`; `world` in a file. */
export type Place = Readonly<Record<string, string>>;

/** Undefined and empty values leave the address. */
export type Move = Readonly<Record<string, string | undefined>>;

function placeNow(): Place {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function linkTo(move: Move): string {
  const all = Object.entries({ ...placeNow(), ...move });
  const given = all.flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `#${new URLSearchParams(given)}`;
}

/** `replace` takes the current step of the browser's history, for what changes often. */
export function go(move: Move, how: "push" | "replace" = "push"): void {
  const hash = linkTo(move);
  if (hash === (location.hash || "#")) return;
  if (how === "push") history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
  // Only links and "back" cause it by themselves.
  dispatchEvent(new Event("hashchange"));
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const follow = (): void => setPlace(placeNow);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}
