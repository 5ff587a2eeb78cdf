/** The same request at the same moment under other choices; with a fault, later, or edited. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { Answer } from "../../choices/answer.ts";
import type { AnswerGroup, ChoiceComparison } from "../../choices/compare-choices.ts";
import type { WhatIf } from "../../choices/what-if.ts";
import { Code } from "./code.ts";
import type { Catalogue, EntryReply, Row } from "./contract.ts";
import { faultKinds, templateOf } from "./fault-forms.ts";
import { useLoaded } from "./loading.ts";
import {
  ActionForm,
  Area,
  Choose,
  durationIn,
  Input,
  link,
  type Part,
  parsed,
  type Values,
  Waiting,
} from "./parts.ts";
import type { Source } from "./source.ts";

/** Most characters of a difference. */
const MOST = 120;

interface WhatIfProps {
  readonly source: Source;
  readonly sequence: number;
  readonly row: Row | undefined;
  readonly catalogue: Catalogue;
}

export function WhatIfTab({ source, sequence, row, catalogue }: WhatIfProps): Part {
  const ask = <Value>(body: object): Promise<Value> =>
    source.send("POST", `history/${sequence}/what-if`, body);
  const choices = useLoaded(() => ask<ChoiceComparison>({}), [source, sequence]);
  return html`
    ${row?.fault !== undefined && html`<${Unharmed} source=${source} sequence=${sequence} />`}
    <section><${Waiting} loaded=${choices} />
      ${choices.value !== undefined && html`<${Groups} found=${choices.value} catalogue=${catalogue} />`}</section>
    <${Trials} ...${{ source, sequence, ask }} />`;
}

/** For an answer that a fault lost or spoilt: what the client would have got. */
function Unharmed({ source, sequence }: Pick<WhatIfProps, "source" | "sequence">): Part {
  const entry = useLoaded(() => source.get<EntryReply>(`journal/${sequence}`), [source, sequence]);
  const lost = entry.value?.entry.fault?.lost;
  if (lost === undefined) return null;
  return html`<section><h3>Without the fault the client would have got ${lost.status}</h3>
    <${Code} label="The answer without the fault" text=${lost.body} /></section>`;
}

function Groups(props: { readonly found: ChoiceComparison; readonly catalogue: Catalogue }): Part {
  const { groups, impossible, note } = props.found;
  const others = groups.slice(1);
  const keys = new Set(others.flatMap(({ choices }) => choices.map(({ key }) => key)));
  const all = Object.keys(props.catalogue).length;
  return html`<h3>${
    keys.size === 0
      ? `Under none of ${all} assumptions would the answer differ.`
      : `Under ${keys.size} of ${all} assumptions the answer would differ:`
  }</h3>
    ${others.map((group, index) => html`<${Group} key=${index} group=${group} />`)}
    ${impossible.length > 0 && html`<p class="quiet">Not compared: ${impossible.map(({ key, choice }) => `${key}=${choice}`).join(", ")}.</p>`}
    ${note !== undefined && html`<p class="quiet">${note}</p>`}`;
}

function Group({ group }: { readonly group: AnswerGroup }): Part {
  const { choices, answer, differences } = group;
  return html`<div class="point">
    <p>${choices.map(
      ({ key, choice }) =>
        html`<code key=${key + choice}>${link({ at: undefined, view: "world", section: "assumptions", search: key }, `${key}=${choice}`)}</code> `,
    )}</p>
    <${Differences} list=${differences} />
    <${Whole} answer=${answer} />
  </div>`;
}

function Whole({ answer }: { readonly answer: Answer }): Part {
  const [isOpen, open] = useState(false);
  return html`<details onToggle=${() => open(true)}><summary>the whole answer, ${answer.status}</summary>
    ${isOpen && html`<${Code} label="The answer" text=${answer.body === "" ? "(no body)" : answer.body} />`}</details>`;
}

function Differences({ list }: { readonly list: readonly string[] }): Part {
  if (list.length === 0) return html`<p>Nothing differs.</p>`;
  return html`<ul>${list.map((text) => html`<li key=${text}>${oneLine(printable(text), MOST)}</li>`)}</ul>`;
}

function Trials(props: {
  readonly source: Source;
  readonly sequence: number;
  ask<Value>(body: object): Promise<Value>;
}): Part {
  const { source, sequence, ask } = props;
  const [kind, setKind] = useState("respond");
  const entry = useLoaded(
    () => source.get<EntryReply>(`journal/${sequence}?secrets=shown`),
    [source, sequence],
  );
  const request = entry.value?.entry.request;
  return html`<h3>Try something else</h3>
    <${Trial} title="With a fault" ask=${ask} body=${({ verdict = "" }: Values) => ({ fault: { verdict: parsed(verdict, "verdict") } })}>
      <${Choose} label="Kind" name="kind" options=${faultKinds} onChoose=${setKind} />
      <${Area} label="Verdict" name="verdict" value=${templateOf(kind)} />
    </${Trial}>
    <${Trial} title="Later" ask=${ask} body=${({ advance = "" }: Values) => ({ advance: durationIn(advance) })}>
      <${Input} label="By how much" name="advance" value="1m" />
    </${Trial}>
    ${
      request !== undefined &&
      html`<${Trial} title="With another body or query" ask=${ask}
        body=${({ query = "", body = "" }: Values) => ({
          request: {
            ...(query !== request.query && { query }),
            // A form sends all line breaks as CR LF.
            ...(unified(body) !== unified(request.body) && { body: unified(body) }),
          },
        })}>
        <${Input} label="Query" name="query" value=${request.query} />
        <${Area} label="Body" name="body" value=${request.body} />
      </${Trial}>`
    }`;
}

function unified(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** One thing to try, and below it how the answer differs. */
function Trial(props: {
  readonly title: string;
  readonly children: unknown;
  ask(body: object): Promise<WhatIf>;
  body(values: Values): object;
}): Part {
  const { title, children, ask, body } = props;
  const [found, setFound] = useState<WhatIf>();
  const tryOut = async (values: Values): Promise<void> => {
    setFound(undefined);
    setFound(await ask(body(values)));
  };
  return html`<details class="trial"><summary>${title}</summary>
    <${ActionForm} submit="Try" act=${tryOut}>${children}</${ActionForm}>
    ${
      found !== undefined &&
      html`<p>${counted(found.differences.length, "difference")}:</p>
      <${Differences} list=${found.differences} /><${Whole} answer=${found.answer} />`
    }
  </details>`;
}
