/** Keyboard shortcuts: single keys. Fields keep theirs, but for Escape. */

import { useLayoutEffect } from "preact/hooks";

/** What the help shows. */
export const shortcutHelp: readonly (readonly [keys: string, what: string])[] = [
  ["↓ / ↑, j / k", "next or previous row"],
  ["Enter", "open the row, or unfold equal ones"],
  ["Esc", "close the panel, leave a field"],
  ["[ / ]", "the error or fault before, or after"],
  ["1 to 5", "the panel's tabs"],
  ["c / s", "copy as curl, as scenario step"],
  ["/", "filter"],
  ["n", "to the newest row"],
  ["f / w", "findings, world"],
  ["?", "these keys"],
];

/** What has its own use for Enter, and for the arrows. */
const pressed = "a, button, summary";
const scrolled = ".tab-panel, pre";

/** They hold while the component is there. */
export function useShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  // At once, not after the next frame: keys can follow each other faster.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const act = shortcuts[key];
      const isOther = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented;
      if (act === undefined || isOther || (key !== "Escape" && isField(target))) return;
      // These have keys of their own.
      if (document.querySelector("dialog[open], :popover-open") !== null) return;
      const taken = key === "Enter" ? pressed : key.startsWith("Arrow") ? scrolled : ":not(*)";
      if (target instanceof Element && target.closest(taken) !== null) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

/** Whether it takes what is typed. */
export function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}
