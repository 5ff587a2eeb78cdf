/** Keeps the focus near its place when the element that has it disappears, such as the button of a row that it removed. */

import { useLayoutEffect } from "preact/hooks";

const focusable = "a[href], button, input, select, textarea, summary";

/** For the component of the element that `current` finds. */
export function useStayingFocus(current: () => HTMLElement | null): void {
  useLayoutEffect(
    () => () => {
      const leaving = current();
      if (leaving === null || leaving !== document.activeElement) return;
      const around = placesAround(leaving);
      // What comes in its place is in the document only after this.
      queueMicrotask(() => {
        if (document.activeElement === document.body) nearestTo(around)?.focus();
      });
    },
    [],
  );
}

/** The element and what it stands in, up to the panel. */
function placesAround(element: HTMLElement): Element[] {
  const places: Element[] = [element];
  for (let place: Element = element; !place.matches(".tab-panel"); ) {
    if (place.parentElement === null) break;
    place = place.parentElement;
    places.push(place);
  }
  return places;
}

/** In the innermost place that stays and has something: what follows, else the last that precedes, else its heading. */
function nearestTo(places: readonly Element[]): HTMLElement | undefined {
  const staying = places.findIndex((place) => place.isConnected);
  // With a whole section gone, the user is elsewhere.
  if (staying === -1 || staying === places.length - 1) return undefined;
  for (const [index, place] of places.entries()) {
    if (index < staying) continue;
    const inner = index > staying ? places[index - 1] : undefined;
    const all = [...place.querySelectorAll<HTMLElement>(focusable)].filter((one) =>
      one.checkVisibility(),
    );
    const next = all.find((one) => inner !== undefined && isAfter(one, inner)) ?? all.at(-1);
    const found = next ?? place.querySelector<HTMLElement>(":scope > h3");
    if (found === null) continue;
    if (next === undefined) found.tabIndex = -1;
    return found;
  }
  return undefined;
}

function isAfter(element: Element, other: Element): boolean {
  return (other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
