/** The same request at the same moment, under other choices of the spec, a fault, later, or edited. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { Answer } from "../../choices/answer.ts";
import type { AnswerGroup, ChoiceComparison } from "../../choices/compare-choices.ts";
import type { WhatIf } from "../../choices/what-if.ts";
import { type Api, Refusal } from "./api.ts";
import type { EntryReply } from "./contract.ts";
import { Status } from "./exchange-list.ts";
import { booksText, reasonText } from "./exchange-words.ts";
import { faultKinds, templateOf } from "./fault-templates.ts";
import { Area, Choose, durationIn, Input, parsed } from "./fields.ts";
import { Code } from "./json-text.ts";
import { useLoaded } from "./loading.ts";
import { ActionForm, link, type Part, Waiting } from "./parts.ts";

/** So many choices of a group are listed at once. */
const LISTED = 8;
/** So many groups are shown open. */
const OPENED = 3;
/** An answer takes the server up to seconds, so it is asked only about an entry at which the user stays. */
const STAY_MS = 250;
/** Most characters of the difference in a group's headline. */
const HEADLINE = 80;

export function WhatIfTab({
  api,
  sequence,
  hasHappened,
}: {
  readonly api: Api;
  readonly sequence: number;
  readonly hasHappened: boolean;
}): Part {
  const ask = <Value>(body: object, signal?: AbortSignal): Promise<Value> =>
    api.send("POST", `history/${sequence}/what-if`, body, signal);
  const choices = useLoaded((signal) => ask<ChoiceComparison>({}, signal), [api, sequence], {
    retryOn: hasHappened,
    afterMs: STAY_MS,
  });
  const entry = useLoaded(
    () => api.get<EntryReply>(`journal/${sequence}?secrets=shown`),
    [api, sequence],
    { retryOn: hasHappened },
  );
  const [kind, setKind] = useState("respond");
  return html`
    <${Trial} title="Under a fault" submit="Try the fault" ask=${ask}
      body=${({ verdict = "" }) => ({ fault: { verdict: parsed(verdict, "verdict") } })}>
      <${Choose} label="Kind" value=${kind} options=${faultKinds} onChoose=${setKind} />
      <${Area} label="Verdict" name="verdict" value=${templateOf(kind)} />
    </${Trial}>
    <${Trial} title="Later" submit="Try later" ask=${ask} body=${({ advance = "" }) => ({ advance: durationIn(advance) })}>
      <${Input} label="By how much" name="advance" value="1m" />
    </${Trial}>
    <${Trial} title="With an edited request" submit="Try the edit" ask=${ask}
      body=${(values: Values) => ({ request: editOf(values, entry.value) })}>
      ${entry.value === undefined ? html`<${Waiting} loaded=${entry} />` : editFields(entry.value)}
    </${Trial}>
    <section><h3>Under every other choice of the specification</h3>
      <${Waiting} loaded=${choices} />
      ${choices.value !== undefined && html`<${Groups} found=${choices.value} />`}
    </section>`;
}

type Values = Readonly<Record<string, string>>;

/** One thing to try: its fields, and below them the answer beside the original. */
function Trial(props: {
  readonly title: string;
  readonly submit: string;
  readonly children: unknown;
  ask(body: object): Promise<WhatIf>;
  body(values: Values): object;
}): Part {
  const { title, submit, children, ask, body } = props;
  const [found, setFound] = useState<WhatIf>();
  const tryOut = async (values: Values): Promise<void> => {
    setFound(undefined);
    setFound(await ask(body(values)));
  };
  return html`<details class="point">
    <summary>${title}</summary>
    <${ActionForm} submit=${submit} act=${tryOut}>
      ${children}
    </${ActionForm}>
    ${
      found !== undefined &&
      html`<${Differences} list=${found.differences} />
        <div class="columns">
          <${AnswerView} title="As it was" answer=${found.before} other=${found.answer} />
          <${AnswerView} title="What if" answer=${found.answer} other=${found.before} />
        </div>`
    }
  </details>`;
}

function editFields({ entry }: EntryReply): Part {
  const { method, path, query, headers, body } = entry.request;
  return html`<${Input} label="Method" name="method" value=${method} />
    <${Input} label="Path" name="path" value=${path} />
    <${Input} label="Query" name="query" value=${query} isWide=${true} />
    <${Area} label="Headers, one on each line" name="headers" value=${linesOf(headers)} />
    <${Area} label="Body" name="body" value=${body} />`;
}

/** Only what was edited, so that everything else stays as it was sent, byte by byte. */
function editOf({ headers = "", ...values }: Values, sent: EntryReply | undefined): object {
  const { headers: before, ...recorded } = sent?.entry.request ?? { headers: {} };
  const edited = Object.entries(values)
    .map(([name, value]) => [name, plain(value), `${Reflect.get(recorded, name)}`] as const)
    .filter(([, value, before]) => plain(before) !== value)
    .map(([name, value, before]) => [name, value.replaceAll("\n", lineEndOf(before))]);
  const lines = plain(headers).trim();
  const isSame = lines === linesOf(before);
  return { ...Object.fromEntries(edited), ...(isSame ? {} : { headers: headersIn(lines) }) };
}

function lineEndOf(text: string): string {
  return /\r\n?/.exec(text)?.[0] ?? "\n";
}

/** A form changes the ends of lines. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return lines.join("\n").trim();
}

/** @throws Refusal for a line that isn't a header, or that repeats one. */
function headersIn(lines: string): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  for (const line of lines.split("\n").filter((one) => one.trim() !== "")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim();
    if (name === "" || colon === -1)
      throw new Refusal(`headers must be lines such as Accept: */*, not "${line}"`, "headers");
    if (fields.has(name))
      throw new Refusal(`headers has ${name} twice: join its values`, "headers");
    fields.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(fields);
}

function Groups({ found }: { readonly found: ChoiceComparison }): Part {
  const { groups, impossible, note } = found;
  const [first, ...others] = groups;
  if (first === undefined) return null;
  return html`${note !== undefined && html`<p class="quiet">${note}</p>`}
    ${others.length === 0 && html`<p>${first.answer.received === "nothing" ? "A fault rule keeps the answer from the client, whatever the choice." : "Every other choice gives the same answer."}</p>`}
    ${others.map(
      (group, index) => html`<${GroupPoint} key=${index} isOpen=${others.length <= OPENED}
        group=${group} other=${first.answer}>
        <code>${namesOf(group)}</code>${" "}
        <span class="quiet">${printable(oneLine(group.differences[0] ?? "", HEADLINE))}</span>
      </${GroupPoint}>`,
    )}
    <${GroupPoint} isOpen=${false} group=${first}>
      The answer in force <span class="quiet">${countOf(first)} don't change it</span>
    </${GroupPoint}>
    ${
      impossible.length > 0 &&
      html`<details><summary>${impossible.length} choices can't be compared</summary>
        <ul>${impossible.map(
          ({ key, choice, why }) =>
            html`<li key=${key + choice}><code>${key}=${choice}</code> ${why}</li>`,
        )}</ul></details>`
    }`;
}

/** Its content is made when it is first opened: answers can be long. The children are its headline. */
function GroupPoint(props: {
  readonly group: AnswerGroup;
  readonly isOpen: boolean;
  readonly other?: Answer;
  readonly children: unknown;
}): Part {
  const { group, isOpen, other, children } = props;
  const [wasOpened, setOpened] = useState(isOpen);
  return html`<details class="point" open=${isOpen} onToggle=${() => setOpened(true)}>
    <summary><${Status} status=${group.answer.status} /> ${children}</summary>
    ${
      wasOpened &&
      html`<${Choices} group=${group} />
        ${other !== undefined && html`<${Differences} list=${group.differences} />`}
        <${AnswerView} title="The answer" answer=${group.answer} other=${other} />`
    }
  </details>`;
}

/** The first choice, and how many more there are. */
function namesOf({ choices: [first, ...others] }: AnswerGroup): string {
  const name = first === undefined ? "" : `${first.key}=${first.choice}`;
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

function countOf({ choices }: AnswerGroup): string {
  return counted(choices.length, "choice");
}

function Choices({ group }: { readonly group: AnswerGroup }): Part {
  const [all, showAll] = useState(false);
  const { choices } = group;
  const listed = all ? choices : choices.slice(0, LISTED);
  return html`<p class="named-choices">
    ${listed.map(
      ({ key, choice }) => html`<code key=${key + choice}>
        ${link({ view: "world", section: "assumptions", search: key }, key)}=${choice}</code>${" "}`,
    )}
    ${
      listed.length < choices.length &&
      html`<button type="button" class="small" onClick=${() => showAll(true)}>all ${choices.length}</button>`
    }
  </p>`;
}

function Differences({ list }: { readonly list: readonly string[] }): Part {
  if (list.length === 0) return html`<p>Nothing differs.</p>`;
  return html`<ul>${list.map((text) => html`<li key=${text}>${printable(text)}</li>`)}</ul>`;
}

/** What the other answer lacks is marked. */
function AnswerView(props: {
  readonly title: string;
  readonly answer: Answer;
  readonly other?: Answer;
}): Part {
  const { title, answer, other } = props;
  return html`<div class="answer">
    <p class="title">${title}: <${Status} status=${answer.status} /> ${reasonText(answer)} <span class="quiet">${booksText(answer)}</span></p>
    ${
      answer.body === ""
        ? html`<p class="quiet">No body.</p>`
        : html`<${Code} label=${title} text=${answer.body} other=${other?.body} />`
    }
  </div>`;
}
