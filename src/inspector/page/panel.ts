/** The panel of one exchange: what happened and why in a sentence, then its tabs. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import { ChangesTab } from "./changes-tab.ts";
import type { Catalogue, EntryReply, Moment, Row } from "./contract.ts";
import { useShortcuts } from "./keys.ts";
import { useLoaded } from "./loading.ts";
import { AnswerTab, RequestTab, SendTab, stepText } from "./message-tabs.ts";
import { announce, chosenOf, copyText, type Part, Problem, Tabs, Waiting } from "./parts.ts";
import { go, linkTo, usePlace } from "./place.ts";
import type { Source } from "./source.ts";
import { WhatIfTab } from "./what-if-tab.ts";
import { explanationOf, outcomeOf, targetOf } from "./words.ts";

interface PanelProps {
  readonly source: Source;
  readonly sequence: number;
  /** Undefined if it hasn't happened yet, or is forgotten. */
  readonly row: Row | undefined;
  /** An earlier row about the same event. */
  readonly first: Row | undefined;
  readonly catalogue: Catalogue;
  /** Titles of the findings that it is part of. */
  readonly findings: readonly string[];
}

export function Panel(props: PanelProps): Part {
  const { source, sequence, row, first, catalogue, findings } = props;
  const place = usePlace();
  const subject = [source, sequence];
  // After a reset another exchange has the same number.
  const version = row?.at;
  const get = async (query = ""): Promise<EntryReply> =>
    withPageAddress(source, await source.get(`journal/${sequence}${query}`));
  const loaded = useLoaded(() => get(), subject, version);
  const entry = loaded.value?.entry;
  const moment = useLoaded(() => source.get<Moment>(`history/${sequence}`), subject, version);
  const [problem, setProblem] = useState<unknown>();
  const tabs = {
    request: "Request",
    answer: "Answer",
    state: "Before → after",
    ...(source.isFile ? {} : { "what-if": "What if" }),
    curl: "curl",
  };
  const tab = chosenOf(tabs, place.tab);
  const close = (): void => go({ at: undefined, tab: undefined });
  /** Keys are shown only where they are sent. */
  const withSecrets = (): Promise<EntryReply> => get(source.isFile ? "" : "?secrets=shown");
  const copy = (textOf: (reply: EntryReply) => string) => (): void => {
    setProblem(undefined);
    withSecrets()
      .then((reply) => copyText(textOf(reply)))
      .then(() => announce("Copied."), setProblem);
  };
  useShortcuts({
    c: copy(({ curl }) => curl),
    s: copy(stepText),
    ...Object.fromEntries(
      Object.keys(tabs).map((id, index) => [
        `${index + 1}`,
        () => go({ tab: index === 0 ? undefined : id }),
      ]),
    ),
  });
  const outcome = row && outcomeOf(row, first);
  return html`<aside class="panel side" aria-label=${`Exchange ${sequence}`}>
    <header>
      <h2 tabindex="-1"><span class="quiet">#${sequence}</span>${" "}
        ${row !== undefined && html`${printable(row.method)} <span class="path">${printable(targetOf(row))}</span>`}</h2>
      <button type="button" aria-label="Close the exchange" title="Close (Esc)" onClick=${close}>✕</button>
    </header>
    ${
      row !== undefined &&
      html`<div class=${`said ${outcome?.tone}`}>
        <p class="headline"><span aria-hidden="true">${outcome?.sign}</span> ${outcome?.words}
          ${row.status > 0 && html` <span class="status">${row.status}</span>`}</p>
        <p>${explanationOf(row, first)}
          ${first !== undefined && html` <a href=${linkTo({ at: `${first.sequence}` })}>Open #${first.sequence}</a>`}</p>
        ${findings.map((title) => html`<p class="finding" key=${title}>⚠ ${title}: <a href=${linkTo({ view: "findings", at: undefined })}>what a good client does</a></p>`)}
      </div>`
    }
    <${Problem} error=${problem} />
    <${Tabs} name="tab" label="What to look at" tabs=${tabs} chosen=${tab} />
    <div class="tab-panel" tabindex="0" key=${`${tab} ${sequence}`}>
      ${
        tab === "state"
          ? html`<${ChangesTab} ...${{ source, sequence, moment, catalogue }} />`
          : html`<${Waiting} loaded=${loaded} />`
      }
      ${entry !== undefined && tab === "request" && html`<${RequestTab} entry=${entry} row=${row} />`}
      ${entry !== undefined && tab === "answer" && html`<${AnswerTab} ...${{ entry, catalogue }} choices=${moment.value?.before?.assumptions} />`}
      ${entry !== undefined && tab === "what-if" && html`<${WhatIfTab} ...${{ source, entry, catalogue }} />`}
      ${loaded.value !== undefined && tab === "curl" && html`<${SendTab} reply=${loaded.value} withSecrets=${withSecrets} />`}
    </div>
  </aside>`;
}

/** The server knows its own address only: the command goes to the page's, which a proxy may have changed. */
function withPageAddress({ baseUrl }: Source, { curl, ...reply }: EntryReply): EntryReply {
  const own = /(?<=')https?:\/\/[^/']+(?:\/@[^/']+)?(?=\/)/;
  return { ...reply, curl: curl.replace(own, (address) => baseUrl || address) };
}
