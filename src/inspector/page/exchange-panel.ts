/** The panel of one exchange, with its three tabs. */

import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { Api } from "./api.ts";
import type { Catalogue, EntryReply, Moment } from "./contract.ts";
import { Status } from "./exchange-list.ts";
import { ExchangeTab } from "./exchange-tab.ts";
import { targetOf } from "./exchange-words.ts";
import { useShortcuts } from "./keys.ts";
import { useLoaded } from "./loading.ts";
import { type Part, Tabs } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { recording } from "./recording.ts";
import { StateTab } from "./state-tab.ts";
import { WhatIfTab } from "./what-if-tab.ts";

const tabs = [
  ["exchange", "Exchange"],
  ["state", "State"],
  // It takes a simulator.
  ...(recording === undefined ? [["what-if", "What if"] as const] : []),
] as const;

export function ExchangePanel(props: {
  readonly api: Api;
  readonly sequence: number;
  /** It may come yet. */
  readonly hasHappened: boolean;
  readonly catalogue: Catalogue;
  readonly publishers: readonly string[];
  /** To the next row of the list that is older (1) or newer (-1). */
  onMove(rows: number): void;
  onClose(): void;
}): Part {
  const { api, sequence, hasHappened, catalogue, publishers, onMove, onClose } = props;
  const place = usePlace();
  const heading = useRef<HTMLHeadingElement>(null);
  const subject = [api, sequence];
  const retryOn = hasHappened;
  const loaded = useLoaded(() => api.get<EntryReply>(`journal/${sequence}`), subject, { retryOn });
  const moment = useLoaded(() => api.get<Moment>(`history/${sequence}`), subject, { retryOn });
  const tab = tabs.find(([id]) => id === place.tab)?.[0] ?? "exchange";
  useEffect(() => {
    if (place.focus === "panel") heading.current?.focus();
  }, [place.focus]);
  useShortcuts(
    Object.fromEntries(
      tabs.map(([id], index) => [`${index + 1}`, () => go({ tab: index === 0 ? undefined : id })]),
    ),
  );
  const { request, response } = loaded.value?.entry ?? {};
  return html`<aside class="panel" aria-label=${`Exchange ${sequence}`}>
    <header>
      <h2 tabindex="-1" ref=${heading}>
        <span class="quiet">#${sequence}</span>${" "}
        ${
          request !== undefined &&
          html`${printable(request.method)} <span class="path">${printable(targetOf(request))}</span>${" "}
          <${Status} status=${response?.status ?? 0} />`
        }
      </h2>
      <span class="buttons">
        <button type="button" class="small" aria-label="Older exchange" title="Older (j)" onClick=${() => onMove(1)}>‹</button>
        <button type="button" class="small" aria-label="Newer exchange" title="Newer (k)" onClick=${() => onMove(-1)}>›</button>
        <button type="button" class="small" aria-label="Close the exchange" title="Close (Esc)" onClick=${onClose}>✕</button>
      </span>
    </header>
    <${Tabs} name="tab" label="What to look at" tabs=${tabs} chosen=${tab}>
      ${tab === "exchange" && html`<${ExchangeTab} ...${{ api, loaded, moment, catalogue }} />`}
      ${tab === "state" && html`<${StateTab} ...${{ api, sequence, hasHappened, moment, catalogue, publishers }} />`}
      ${tab === "what-if" && html`<${WhatIfTab} key=${sequence} ...${{ api, sequence, hasHappened }} />`}
    </${Tabs}>
  </aside>`;
}
