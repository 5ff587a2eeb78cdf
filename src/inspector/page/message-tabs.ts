/** The request and the answer of an exchange, and how to send it again. */

import { html } from "htm/preact";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { Code } from "./code.ts";
import type { Catalogue, Choices, EntryReply, Row } from "./contract.ts";
import { CopyButton, Facts, link, type Part } from "./parts.ts";
import { Refusal } from "./source.ts";
import { targetOf } from "./words.ts";

export function RequestTab(props: {
  readonly entry: JournalEntry;
  readonly row: Row | undefined;
}): Part {
  const { request, nearest, operation, publisher, at } = props.entry;
  return html`
    ${
      nearest !== undefined &&
      html`<section class="notice"><h3>Did you mean …?</h3>
        <${Facts} facts=${[["Sent", nearest.sent], ["Exists", nearest.closest]]} />
        <${Code} label="A command that works" text=${nearest.paste} />
        <${CopyButton} label="Copy the command" text=${nearest.paste} /></section>`
    }
    <${Facts} facts=${[
      ["Operation", operation ?? "none has this path and method"],
      ["Publisher", publisher ?? "none: no valid key was sent"],
      ["Arrived", at.replace("T", " ").replace("Z", "")],
      ...Object.entries(props.row?.event ?? {}).filter(([name]) => name !== "publisher_id"),
    ]} />
    <${Message} title="Request" head=${`${request.method} ${targetOf(request)}`} message=${request} />`;
}

export function AnswerTab(props: {
  readonly entry: JournalEntry;
  readonly choices: Choices | undefined;
  readonly catalogue: Catalogue;
}): Part {
  const { response, fault } = props.entry;
  const head = response.status === 0 ? "No answer reached the client." : `HTTP ${response.status}`;
  return html`
    <${Message} title="Answer" head=${head} message=${response} />
    ${
      fault?.lost !== undefined &&
      html`<section><h3>What the client would have got without the fault ${link({ at: undefined, view: "world", section: "faults" }, fault.rule)}</h3>
        <${Message} title="The service's answer" head=${`HTTP ${fault.lost.status}`} message=${fault.lost} /></section>`
    }
    <${Shaped} ...${props} />`;
}

/** The questions that the specification leaves open and that shaped this answer. */
function Shaped(props: {
  readonly entry: JournalEntry;
  readonly choices: Choices | undefined;
  readonly catalogue: Catalogue;
}): Part {
  const { entry, choices = {}, catalogue } = props;
  if (entry.assumptions === "documented") return null;
  return html`<section><h3>Rests on assumptions</h3>
    <p class="quiet">The specification leaves these open. Another service may answer otherwise.</p>
    ${entry.assumptions.map((key) => {
      const place = { at: undefined, view: "world", section: "assumptions", search: key };
      const chosen = choices[key] ?? "";
      return html`<details key=${key}><summary>${catalogue[key]?.question ?? key}</summary>
        <p><code>${key}=${chosen}</code> ${catalogue[key]?.choices[chosen]} ${link(place, "Other choices")}</p></details>`;
    })}</section>`;
}

function Message(props: {
  readonly title: string;
  readonly head: string;
  readonly message: JournalEntry["request"] | JournalEntry["response"];
}): Part {
  const { title, head, message } = props;
  const { body, bodyBase64 } = message;
  const fields = Object.entries(message.headers);
  return html`
    <p class="start-line"><code>${printable(head)}</code></p>
    ${body === "" ? html`<p class="quiet">No body.</p>` : html`<${Code} label=${`${title} body`} text=${body} />`}
    ${bodyBase64 !== undefined && html`<p class="quiet">The body isn't UTF-8. In base 64: <code>${bodyBase64}</code></p>`}
    ${fields.length > 0 && html`<details open=${fields.length < 8}><summary>${counted(fields.length, "header")}</summary><${Facts} facts=${fields} /></details>`}`;
}

const NO_STEP = "A scenario can't send a body that isn't UTF-8.";

/** The shown texts hold no keys, the copied ones do: they are meant to be sent. */
export function SendTab(props: {
  readonly reply: EntryReply;
  withSecrets(): Promise<EntryReply>;
}): Part {
  const { reply, withSecrets } = props;
  return html`
    <section><h3>As a command <${CopyButton} label="Copy (c)" text=${async () => (await withSecrets()).curl} /></h3>
      <${Code} label="curl" text=${reply.curl} /></section>
    <section><h3>As a step of a scenario <${CopyButton} label="Copy (s)" text=${async () => stepText(await withSecrets())} /></h3>
      ${reply.step === null ? html`<p class="quiet">${NO_STEP}</p>` : html`<${Code} label="Scenario step" text=${stepText(reply)} />`}</section>
    <p class="quiet">What is copied from a server has the key in it.</p>`;
}

/** @throws Refusal if no scenario can send the request. */
export function stepText({ step }: EntryReply): string {
  if (step === null) throw new Refusal(NO_STEP);
  return JSON.stringify(step, undefined, 2);
}
