/** The journal as a line of time: a slider over its entries, with marks where something went wrong or was changed by hand. */

import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import type { Item } from "./contract.ts";
import { indexAt, isRow, orderOf } from "./log.ts";
import type { Part } from "./parts.ts";

const BUCKETS = 240;

/** A place shows the first of these that happened there. */
const marks = ["fault", "failed", "refused", "change"] as const;
type Mark = (typeof marks)[number];

const markNames: Readonly<Record<Mark, string>> = {
  fault: "fault rule",
  failed: "5xx or no answer",
  refused: "4xx",
  change: "by hand",
};

export function Scrubber(props: {
  readonly items: readonly Item[];
  /** Another one means other items. */
  readonly version: number;
  /** The entry that is looked at; undefined for the newest. */
  readonly at: number | undefined;
  onGo(sequence: number): void;
}): Part {
  const { items, version, at, onGo } = props;
  const [first, last] = rangeOf(items);
  const drawn = useMemo(() => bars(items, first ?? 0, last ?? 0), [items, version]);
  if (first === undefined || last === undefined) return null;
  const here = Math.min(Math.max(at ?? last, first), last);
  // The journal may have forgotten the entry that is looked at, or not have it yet.
  const looked = at ?? last;
  const item = looked === here ? items[indexAt(items, here)] : undefined;
  const when = item === undefined ? "" : item.at.replace("T", " ").replace("Z", "");
  const isOut = (to: number): boolean => !(to >= first && to <= last);
  const step = (to: number, label: string, sign: string): Part =>
    html`<button type="button" class="small" aria-label=${label} title=${label}
      aria-disabled=${isOut(to)} onClick=${() => isOut(to) || onGo(to)}>${sign}</button>`;
  const jump = (direction: 1 | -1, label: string, sign: string): Part =>
    step(markedNear(items, here, direction) ?? Number.NaN, label, sign);
  return html`<div class="scrubber" role="group" aria-label="Time">
    <span class="steps">
      ${jump(-1, "Previous error, fault or change", "«")}${step(here - 1, "One entry back", "‹")}
      ${step(here + 1, "One entry forward", "›")}${jump(1, "Next error, fault or change", "»")}
    </span>
    <span class="track">
      <svg viewBox=${`0 0 ${BUCKETS} 1`} preserveAspectRatio="none" aria-hidden="true">
        ${drawn.map(([kind, path]) => html`<path key=${kind} class=${kind} d=${path} />`)}
      </svg>
      <input type="range" min=${first} max=${last} value=${here} aria-label="Entry"
        aria-valuetext=${`entry ${looked} of ${last}, ${when}`}
        onInput=${(event: Event) => event.target instanceof HTMLInputElement && onGo(Number(event.target.value))} />
    </span>
    <output><b>#${looked}</b> of ${last} <i>${when}</i></output>
    <span class="legend" aria-hidden="true">
      ${marks.map((mark) => html`<span key=${mark}><i class=${mark}></i>${markNames[mark]}</span>`)}
    </span>
  </div>`;
}

/** The nearest entry in this direction with a mark. */
export function markedNear(
  items: readonly Item[],
  from: number,
  direction: 1 | -1,
): number | undefined {
  const start = direction === 1 ? indexAt(items, from) + 1 : indexAt(items, from - 0.25);
  for (let index = start; index >= 0 && index < items.length; index += direction) {
    const item = items[index];
    if (item === undefined || markOf(item) === undefined) continue;
    // A change has no entry of its own: the one before it shows it.
    const sequence = Math.floor(orderOf(item));
    if (sequence !== from && sequence > 0) return sequence;
  }
  return undefined;
}

function markOf(item: Item): Mark | undefined {
  if (!isRow(item)) return "change";
  if (item.fault !== undefined) return "fault";
  if (item.status >= 500 || item.status === 0) return "failed";
  return item.status >= 400 ? "refused" : undefined;
}

function rangeOf(items: readonly Item[]): [number?, number?] {
  const first = items.find(isRow)?.sequence;
  const last = items.findLast(isRow)?.sequence;
  return first === undefined || last === undefined ? [] : [first, last];
}

/** One path for each kind of mark. */
function bars(items: readonly Item[], first: number, last: number): [Mark, string][] {
  const places = new Map<number, Mark>();
  for (const item of items) {
    const mark = markOf(item);
    if (mark === undefined) continue;
    const share = (orderOf(item) - first) / Math.max(1, last - first);
    const bucket = Math.min(BUCKETS - 1, Math.max(0, Math.floor(share * BUCKETS)));
    const other = places.get(bucket);
    if (other === undefined || marks.indexOf(mark) < marks.indexOf(other)) places.set(bucket, mark);
  }
  return marks.map((mark) => {
    const path = [...places].filter(([, one]) => one === mark).map(([x]) => `M${x} 0h1v1h-1z`);
    return [mark, path.join("")];
  });
}
