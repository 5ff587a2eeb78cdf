/** Keyboard shortcuts: single keys. Fields keep theirs, but for Escape. */

import { useLayoutEffect } from "preact/hooks";

export type Shortcuts = Readonly<Record<string, () => void>>;

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

/** They hold while the component is there. */
export function useShortcuts(shortcuts: Shortcuts): void {
  // At once, not after the next frame: keys can follow each other faster.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      // A dialog has its own.
      if (document.querySelector("dialog[open]") !== null) return;
      if (key !== "Escape" && isField(target)) return;
      // What Enter presses or follows; tabs and lists that scroll take the arrows.
      const isTaken =
        key === "Enter"
          ? "a, button, summary"
          : key.startsWith("Arrow")
            ? "[role=tablist], [role=tabpanel], pre"
            : "";
      if (isTaken !== "" && target instanceof Element && target.closest(isTaken) !== null) return;
      const act = shortcuts[key];
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
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}
