/** One exchange: why it was answered so, the request, the answer, and what it did to the books. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import type { JournalEntry, JournalFault } from "../../journal/entry.ts";
import { type Api, Refusal } from "./api.ts";
import type { Catalogue, EntryReply, Moment, State } from "./contract.ts";
import { Status } from "./exchange-list.ts";
import { booksText, producerText, reasonText, targetOf } from "./exchange-words.ts";
import { Code } from "./json-text.ts";
import type { Loaded } from "./loading.ts";
import { CopyButton, Facts, inr, link, type Part, Table, Waiting } from "./parts.ts";

export interface ExchangeProps {
  readonly api: Api;
  readonly loaded: Loaded<EntryReply>;
  readonly moment: Loaded<Moment>;
  readonly catalogue: Catalogue;
}

export function ExchangeTab({ api, loaded, moment, catalogue }: ExchangeProps): Part {
  if (loaded.value === undefined) return html`<${Waiting} loaded=${loaded} />`;
  const { value } = loaded;
  const { entry } = value;
  const withSecrets = async (): Promise<EntryReply> =>
    api.isRecorded ? value : await api.get(`journal/${entry.sequence}?secrets=shown`);
  return html`
    <${Facts} facts=${[
      ["Why", html`<strong>${reasonText(entry)}</strong>`],
      ["Answered by", producerText(entry)],
      ["Books", booksText(entry)],
      ["Operation", entry.operation ?? "none: the path and method belong to no operation"],
      ["Publisher", entry.publisher ?? "none: no valid key was sent"],
      ["World time", entry.at],
    ]} />
    <p class="buttons">
      <${CopyButton} label="Copy as curl" text=${async () => (await withSecrets()).curl} />
      <${CopyButton} key=${entry.sequence} label="Copy as scenario step"
        text=${async () => stepText(await withSecrets())} />
    </p>
    <${Nearest} entry=${entry} />
    <${Fault} fault=${entry.fault} />
    <${Message} title="Request" message=${entry.request} isOpen=${false}
      head=${`${entry.request.method} ${targetOf(entry.request)}`} />
    <${Message} title="Answer" message=${entry.response} isOpen=${true}
      head=${entry.response.status === 0 ? "No answer reached the client." : `HTTP ${entry.response.status}`} />
    <${BooksChange} moment=${moment} />
    <${AssumptionRows} entry=${entry} moment=${moment} catalogue=${catalogue} />`;
}

/** @throws Refusal if no scenario can send the request. */
function stepText({ step, whyNoStep }: EntryReply): string {
  if (step === null) throw new Refusal(whyNoStep ?? "No scenario can send this request.");
  return JSON.stringify(step, undefined, 2);
}

interface ShownMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bodyBase64?: string | undefined;
}

function Message(props: {
  readonly title: string;
  readonly head: string;
  readonly message: ShownMessage;
  /** Whether its headers are shown at once. */
  readonly isOpen: boolean;
}): Part {
  const { title, head, message, isOpen } = props;
  const [isRaw, setRaw] = useState(false);
  const fields = Object.entries(message.headers);
  const raw = [head, ...fields.map(([name, value]) => `${name}: ${value}`), "", message.body];
  return html`<section>
    <h3>${title} <button type="button" class="small" aria-pressed=${isRaw} onClick=${() => setRaw(!isRaw)}>
      Raw
    </button></h3>
    ${
      isRaw
        ? html`<${Code} label=${`${title}, raw`} text=${raw.join("\n")} isRaw=${true} />`
        : html`<p class="start-line"><code>${printable(head)}</code></p>
          <details open=${isOpen}><summary>${counted(fields.length, "header")}</summary><${Facts} facts=${fields} /></details>
          ${
            message.body === ""
              ? html`<p class="quiet">No body.</p>`
              : html`<${Code} label=${`${title} body`} text=${message.body} />`
          }
          ${
            message.bodyBase64 !== undefined &&
            html`<p class="quiet">The body isn't UTF-8. In base 64: <code>${message.bodyBase64}</code></p>`
          }`
    }
  </section>`;
}

function Nearest({ entry }: { readonly entry: JournalEntry }): Part {
  const { nearest } = entry;
  if (nearest === undefined) return null;
  return html`<section class="notice">
    <h3>Did you mean …?</h3>
    <${Facts} facts=${[["Sent", nearest.sent], ["Exists", nearest.closest]]} />
    <pre class="code-text" tabindex="0" role="group" aria-label="A command that works">${printable(nearest.paste)}</pre>
    <p class="buttons"><${CopyButton} label="Copy the command" text=${nearest.paste} /></p>
  </section>`;
}

function Fault({ fault }: { readonly fault: JournalFault | undefined }): Part {
  if (fault === undefined) return null;
  const { rule, kind, delayMs, served, application, received, lost } = fault;
  return html`<section class="notice">
    <h3>A fault rule acted</h3>
    <${Facts} facts=${[
      ["Rule", link({ view: "world", section: "faults" }, rule)],
      ["Kind", kind],
      ["The service", served ? "carried out the request" : "did nothing"],
      [
        "The client got",
        { whole: "the whole answer", part: "a part of the answer", nothing: "nothing" }[received],
      ],
      ["Delay", delayMs === 0 ? "" : `${delayMs} ms`],
      ["Application", application === 2 ? "the second of two" : ""],
    ]} />
    ${
      lost !== undefined &&
      html`<h4>The answer that was lost <${Status} status=${lost.status} /></h4>
        <${Code} label="The lost answer" text=${lost.body} />`
    }
  </section>`;
}

/** The books of the publisher that the request concerns before and after, and what is left of its quotas. */
function BooksChange({ moment }: { readonly moment: Loaded<Moment> }): Part {
  if (moment.error !== undefined) {
    return html`<section><h3>Books and quotas</h3><${Waiting} loaded=${moment} /></section>`;
  }
  const { before, after } = moment.value ?? {};
  if (before?.publisher == null || after?.publisher == null) return null;
  const amounts = ["revenueInr", "paidInr", "pendingInr"] as const;
  const counts = ["impressions", "clicks"] as const;
  const [from, to] = [before.publisher.books, after.publisher.books];
  const rows: [string, string, string][] = [
    ...counts.map((name): [string, string, string] => [name, `${from[name]}`, `${to[name]}`]),
    ...amounts.map((name): [string, string, string] => [
      name.replace("Inr", ""),
      inr(from[name]),
      inr(to[name]),
    ]),
    ...after.publisher.quotas.map(({ name, limit, remaining }): [string, string, string] => {
      const left = before.publisher?.quotas.find((one) => one.name === name)?.remaining;
      return [`quota left: ${name}`, `${left ?? "–"} of ${limit}`, `${remaining} of ${limit}`];
    }),
  ];
  return html`<section><h3>Books and quotas</h3>
    <p class="quiet">Of publisher ${after.publisher.id}.</p>
    <${Table} label="Books and quotas" head=${["", "before", "after"]}
      rows=${rows.map(([name, was, is]) => [name, was, was === is ? is : html`<mark>${is}</mark>`])} />
  </section>`;
}

/** The questions that the spec leaves open and that shaped this answer. */
function AssumptionRows(props: {
  readonly entry: JournalEntry;
  readonly moment: Loaded<Moment>;
  readonly catalogue: Catalogue;
}): Part {
  const { entry, moment, catalogue } = props;
  if (entry.assumptions === "documented") {
    return html`<section><h3>Open points</h3>
      <p>None: the specification decides this answer.</p></section>`;
  }
  return html`<section><h3>Open points that shaped it</h3>
    ${entry.assumptions.map(
      (key) =>
        html`<${Point} key=${key} name=${key} point=${catalogue[key]} state=${moment.value?.before} />`,
    )}
  </section>`;
}

function Point(props: {
  readonly name: string;
  readonly point: Catalogue[string] | undefined;
  readonly state: State | null | undefined;
}): Part {
  const { name, point, state } = props;
  if (point === undefined) return html`<p><code>${name}</code></p>`;
  const chosen = state?.assumptions[name];
  const choices = Object.entries(point.choices);
  const inForce = choices.filter(([choice]) => choice === chosen);
  return html`<details class="point">
    <summary>${point.question}${" "}
      <span class="quiet"><code>${name}${chosen === undefined ? "" : `=${chosen}`}</code> spec ${point.spec}</span>
    </summary>
    ${inForce.map(([choice, says]) => html`<p><b>In force: ${choice}.</b> ${says}</p>`)}
    <ul>
      ${choices
        .filter(([choice]) => choice !== chosen)
        .map(([choice, says]) => html`<li key=${choice}><b>${choice}</b> ${says}</li>`)}
    </ul>
    <p class="quiet">${point.caution}${" "}
      ${link({ view: "world", section: "assumptions", search: name }, "In the catalogue")}</p>
  </details>`;
}
