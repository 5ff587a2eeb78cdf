/** What the client would have got: without the fault, under other assumptions, or if the request had been another. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { oneLine, printable } from "../../base/text.ts";
import type { AnswerGroup, ChoiceComparison } from "../../choices/compare-choices.ts";
import type { WhatIf } from "../../choices/what-if.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { Code } from "./code.ts";
import type { Catalogue } from "./contract.ts";
import { useLoaded } from "./loading.ts";
import { ActionForm, Area, Choose, link, type Part, type Values, Waiting } from "./parts.ts";
import type { Source } from "./source.ts";

/** Most characters of a difference. */
const MOST = 120;

export function WhatIfTab(props: {
  readonly source: Source;
  readonly entry: JournalEntry;
  readonly catalogue: Catalogue;
}): Part {
  const { source, entry, catalogue } = props;
  const { sequence, fault } = entry;
  const path = `history/${sequence}/what-if`;
  const choices = useLoaded(
    () => source.send<ChoiceComparison>("POST", path, {}),
    [source, sequence, entry.at],
  );
  return html`
    ${
      fault?.lost !== undefined &&
      html`<h3>Without the fault the client would have got ${fault.lost.status}</h3>
        <${Code} label="The answer without the fault" text=${fault.lost.body} />`
    }
    <${Waiting} loaded=${choices} />
    ${choices.value !== undefined && html`<${Groups} found=${choices.value} catalogue=${catalogue} />`}
    <${Trial} ask=${(alteration: string) => source.send("POST", path, alteration)} />`;
}

function Groups(props: { readonly found: ChoiceComparison; readonly catalogue: Catalogue }): Part {
  const { groups, note } = props.found;
  const others = groups.slice(1);
  const keys = new Set(others.flatMap(({ choices }) => choices.map(({ key }) => key)));
  const all = Object.keys(props.catalogue).length;
  return html`<h3>${
    keys.size === 0
      ? `Under none of ${all} assumptions would the answer differ.`
      : `Under ${keys.size} of ${all} assumptions the answer would differ:`
  }</h3>
    ${others.map((group, index) => html`<${Group} key=${index} group=${group} />`)}
    ${note !== undefined && html`<p class="quiet">${note}</p>`}`;
}

function Group({ group: { choices, differences } }: { readonly group: AnswerGroup }): Part {
  return html`<div class="point"><p>${choices.map(({ key, choice }) => {
    const place = { at: undefined, view: "world", section: "assumptions", search: key };
    return html`<code key=${key + choice}>${link(place, `${key}=${choice}`)}</code> `;
  })}</p><${Differences} list=${differences} /></div>`;
}

function Differences({ list }: { readonly list: readonly string[] }): Part {
  if (list.length === 0) return html`<p>Nothing differs.</p>`;
  return html`<ul>${list.map((text) => html`<li key=${text}>${oneLine(printable(text), MOST)}</li>`)}</ul>`;
}

/** What the control API takes, to begin with. */
const alterations = [
  ['{ "advance": "1m" }', "later"],
  ['{ "fault": { "verdict": { "kind": "respond", "status": 503 } } }', "with a fault"],
  ['{ "request": { "body": "{}" } }', "with another body"],
  ['{ "request": { "query": "" } }', "with another query"],
] as const;

function Trial({ ask }: { ask(alteration: string): Promise<WhatIf> }): Part {
  const [alteration, choose] = useState<string>(alterations[0][0]);
  const [found, setFound] = useState<WhatIf>();
  const act = async ({ json = "" }: Values): Promise<void> => setFound(await ask(json));
  return html`<details><summary>Try something else</summary>
    <${ActionForm} submit="Try" act=${act}>
      <${Choose} label="What" name="what" options=${alterations} onChoose=${choose} />
      <${Area} label="As JSON" name="json" value=${alteration} />
    </${ActionForm}>
    ${found !== undefined && html`<p>The answer would be ${found.answer.status}:</p><${Differences} list=${found.differences} />`}
  </details>`;
}
