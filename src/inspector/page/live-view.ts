/** The exchanges as they come, beside the one that is open. */

import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import type { Api } from "./api.ts";
import type { Item } from "./contract.ts";
import { ExchangeList } from "./exchange-list.ts";
import { ExchangePanel } from "./exchange-panel.ts";
import { filterIn } from "./filter.ts";
import { ClearButton, FilterBar } from "./filter-bar.ts";
import { isField, useShortcuts } from "./keys.ts";
import { useLoaded } from "./loading.ts";
import { indexAt, isRow, type Log, type ViewProps } from "./log.ts";
import { CopyButton, link, type Part, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { markedNear, Scrubber } from "./scrubber.ts";

export function LiveView({ api, log, catalogue }: ViewProps): Part {
  const place = usePlace();
  const filter = filterIn(place);
  log.filterBy(filter);
  const { shown, items } = log;
  const open = /^\d+$/.test(place.at ?? "") ? Number(place.at) : undefined;
  const [cursor, setCursor] = useState(open);
  const selection = JSON.stringify(filter);
  const hold = useHold(log, open !== undefined, selection);
  const at = open ?? cursor;
  const last = items.findLast(isRow)?.sequence ?? 0;

  useEffect(() => setCursor((now) => open ?? now), [open]);
  const show = (sequence: number): void => {
    setCursor(sequence);
    go({ at: `${sequence}` }, open === undefined ? "push" : "replace");
  };
  const move = (rows: number): void => {
    let next = at;
    const step = rows > 0 ? 1 : -1;
    for (let moved = 0; moved < Math.abs(rows); moved += 1) {
      next = neighbourOf(shown, next, step) ?? next;
    }
    // The row that it was at may not pass the filter, and no other one on that side.
    if (next === at && !isAt(shown[indexAt(shown, next ?? 0)], next ?? 0))
      next = neighbourOf(shown, next, step === 1 ? -1 : 1) ?? next;
    if (next === undefined || next === at) return;
    hold.listUpTo(next);
    if (open !== undefined) show(next);
    else setCursor(next);
  };
  const scrub = (to: number | undefined): void => {
    if (to !== undefined && items.some((item) => isRow(item) && item.sequence === to)) show(to);
  };
  const close = (): void => {
    go({ at: undefined, tab: undefined, focus: undefined });
    focusList();
  };
  const newest = (): void => {
    setCursor(undefined);
    hold.release();
    document.querySelector(".list")?.scrollTo(0, 0);
  };
  const publishers = [...log.publishers].sort();
  const pressNewest = (): void => {
    newest();
    // The button goes.
    focusList();
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => at !== undefined && go({ at: `${at}`, focus: "panel" }),
    Escape: () => (isField(document.activeElement) ? focusList() : open !== undefined && close()),
    n: newest,
    "/": () => document.getElementById("filter-text")?.focus(),
    "[": () => scrub((at ?? last + 1) - 1),
    "]": () => scrub((at ?? last) + 1),
    "{": () => scrub(markedNear(items, at ?? last + 1, -1)),
    "}": () => scrub(markedNear(items, at ?? last, 1)),
  });
  return html`<div class=${`live-view ${open === undefined ? "" : "with-panel"}`}>
    <div class="bars">
      <${FilterBar} filter=${filter} publishers=${publishers} statuses=${log.statuses}
        passing=${`${shown.filter(isRow).length} of ${items.filter(isRow).length}`} />
      <${Scrubber} items=${items} version=${log.version} at=${open} onGo=${scrub} />
    </div>
    <div class="exchanges">
      <div class="list-place">
        ${hold.waiting > 0 && html`<button type="button" class="newer" onClick=${pressNewest}>${hold.waiting} new</button>`}
        ${
          items.length === 0
            ? html`<${FirstSteps} api=${api} origin=${place.origin} />`
            : shown.length === 0
              ? html`<p class="empty">No exchange passes the filter. <${ClearButton} /></p>`
              : html`<${ExchangeList} items=${shown} selection=${selection} count=${hold.count} cursor=${at} open=${open}
                  repeated=${log.repeated} last=${last} onOpen=${show} onMove=${move} onScrolled=${hold.scrolled} />`
        }
      </div>
    </div>
    ${
      open !== undefined &&
      html`<${ExchangePanel} key=${log.restarts} api=${api} sequence=${open} catalogue=${catalogue}
        hasHappened=${open <= last} publishers=${publishers} onMove=${move} onClose=${close} />`
    }
  </div>`;
}

interface Hold {
  /** How many of the shown items are listed. */
  readonly count: number;
  /** How many came since. */
  readonly waiting: number;
  scrolled(isAtTop: boolean): void;
  /** Lists the waiting items if this sequence is one of them. */
  listUpTo(sequence: number): void;
  release(): void;
}

/** While an exchange is open or the list is scrolled, the list stays as it is, once it has what there was before. */
function useHold(log: Log, isOpen: boolean, filter: string): Hold {
  const [isAtTop, setAtTop] = useState(true);
  const held = useRef({ count: 0, filter, dropped: 0, isCurrent: false });
  const { shown, dropped, isCurrent } = log;
  const all = { count: shown.length, filter, dropped, isCurrent };
  const kept = held.current.count - (dropped - held.current.dropped);
  const isNew = held.current.filter !== filter || shown.length < kept || !held.current.isCurrent;
  if ((isAtTop && !isOpen) || isNew || kept <= 0) held.current = all;
  const count = held.current.count - (dropped - held.current.dropped);
  const [, update] = useState(0);
  const release = (): void => {
    held.current = all;
    update(held.current.count);
  };
  return {
    count,
    waiting: shown.length - count,
    scrolled: setAtTop,
    listUpTo: (sequence) => indexAt(shown, sequence) >= count && release(),
    release,
  };
}

/** The next row in the list that is older (1) or newer (-1) than this sequence. */
function neighbourOf(
  shown: readonly Item[],
  sequence: number | undefined,
  step: 1 | -1,
): number | undefined {
  const from = sequence === undefined ? shown.length : indexAt(shown, sequence);
  // The list is oldest first here, and newest first on the page.
  const missing = sequence !== undefined && step === 1 && !isAt(shown[from], sequence) ? 1 : 0;
  for (let index = from - step + missing; index >= 0 && index < shown.length; index -= step) {
    const item = shown[index];
    if (item !== undefined && isRow(item)) return item.sequence;
  }
  return undefined;
}

function isAt(item: Item | undefined, sequence: number): boolean {
  return item !== undefined && isRow(item) && item.sequence === sequence;
}

function focusList(): void {
  document.querySelector<HTMLElement>(".list")?.focus();
}

/** The same as the list of publishers begins with. */
const PUBLISHERS = "publishers?offset=0&limit=20";

/** `origin`: where the world comes from, such as `default after #17`. */
function FirstSteps(props: { readonly api: Api; readonly origin: string | undefined }): Part {
  const { api, origin } = props;
  const loaded = useLoaded(() => api.get<{ publishers: Publisher[] }>(PUBLISHERS), [api]);
  const [publisher] = loaded.value?.publishers ?? [];
  const surface = publisher?.surfaces[0];
  const line =
    publisher === undefined || surface === undefined
      ? undefined
      : `curl "${api.baseUrl}/v1/impression" -H "Authorization: Bearer ${publisher.apiKey}" -d 'publisher_id=${publisher.id}&surface=${surface.id}&ad_id=ad-1'`;
  if (loaded.error !== undefined) {
    const others = link({ world: undefined, view: "world", section: "worlds" }, "The other worlds");
    return html`<div class="empty"><${Waiting} loaded=${loaded} />
      ${api.isRecorded && html`<p>${others}</p>`}</div>`;
  }
  if (api.isRecorded) {
    return html`<div class="empty"><h2>No request yet</h2>
      <p>No request came to the world ${api.world}.</p></div>`;
  }
  return html`<div class="empty">
    <h2>No request yet</h2>
    ${origin !== undefined && html`<p>This world goes on from ${printable(origin)}: it has the state of that moment, and a journal of its own.</p>`}
    <p>Point your client at <code>${api.baseUrl}</code>, or paste this into a terminal:</p>
    ${
      line !== undefined &&
      html`<pre class="code-text" tabindex="0" role="group" aria-label="A first request">${line}</pre>
        <p class="buttons"><${CopyButton} label="Copy" text=${line} /></p>`
    }
    <p class="quiet">Each exchange then appears here as it happens. Press ? for the keyboard shortcuts.</p>
  </div>`;
}
