/** Keyboard shortcuts: single keys, and two keys after another such as `g w`. */

import { useLayoutEffect } from "preact/hooks";

export type Shortcuts = Readonly<Record<string, () => void>>;

/** What the help shows. */
export const shortcutHelp: readonly (readonly [keys: string, what: string])[] = [
  ["j / k, ↓ / ↑", "next or previous exchange of the list"],
  ["Enter", "open the exchange"],
  ["Esc", "close the exchange, or leave a field"],
  ["n", "scroll to the newest exchange"],
  ["/", "filter"],
  ["[ / ]", "one entry back or forward in time"],
  ["{ / }", "to the previous or next error, fault or change"],
  ["1 / 2 / 3", "exchange, state, what if"],
  ["g l / g w / g t", "live, world, findings"],
  ["?", "these shortcuts"],
];

let earlier = "";
let latest = "";

addEventListener(
  "keydown",
  (event) => {
    const { key, target, repeat } = event;
    // Held down, Enter would answer the question that it has just asked.
    if (repeat && key === "Enter" && !(target instanceof HTMLTextAreaElement))
      event.preventDefault();
    earlier = latest;
    latest = isField(target) ? "" : key;
  },
  true,
);

/** The shortcuts hold while the component is there. Fields keep their keys, but for Escape. */
export function useShortcuts(shortcuts: Shortcuts): void {
  // At once, not after the next frame: keys can follow each other faster.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      // A dialog has its own.
      if (document.querySelector("dialog[open]") !== null) return;
      if (event.key !== "Escape" && isField(event.target)) return;
      if (event.key === "Enter" && isPressed(event.target)) return;
      const act = shortcuts[`${earlier} ${event.key}`] ?? shortcuts[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

/** Whether it takes what is typed. */
export function isField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !["range", "checkbox", "file"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Whether Enter presses or follows it. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, summary") !== null;
}
