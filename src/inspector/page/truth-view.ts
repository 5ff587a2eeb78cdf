/** What really happened: the report on the client, a picture over time, and the audit. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { Audit } from "../../audit/audit.ts";
import type { ClientReport } from "../../audit/client-report.ts";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import { useLoaded } from "./loading.ts";
import type { ViewProps } from "./log.ts";
import { Facts, inr, link, type Part, Table, Waiting } from "./parts.ts";
import { unfiltered } from "./place.ts";
import { Timeline } from "./timeline.ts";

const LISTED = 30;

export function TruthView({ api, log, version }: ViewProps): Part {
  const audit = useLoaded(() => api.get<Audit>("audit"), [api], { version });
  const report = useLoaded(() => api.get<ClientReport>("report"), [api], { version });
  return html`<div class="sheet truth">
    <section><h2>The client</h2>
      <${Waiting} loaded=${report} />
      ${report.value !== undefined && html`<${Report} report=${report.value} />`}
    </section>
    <section><h2>Over time</h2>
      ${!log.isCurrent && html`<p class="quiet">Not all exchanges have come yet.</p>`}
      <${Timeline} items=${log.items} /></section>
    <section><h2>The books</h2>
      <${Waiting} loaded=${audit} />
      ${audit.value !== undefined && html`<${Books} audit=${audit.value} />`}
    </section>
  </div>`;
}

function Report({ report }: { readonly report: ClientReport }): Part {
  const { requests, findings, notes } = report;
  return html`
    <p><strong>${headline(findings.length)}</strong> in ${requests} requests.</p>
    ${findings.length === 0 && html`<p class="quiet">The report knows how clients wait, retry and give up. It can't know what a client meant to ask for.</p>`}
    ${notes.map((note) => html`<p class="quiet" key=${note}>${note}</p>`)}
    ${findings.map(
      ({
        id,
        title,
        count,
        explanation,
        spec,
        example,
        sequences,
      }) => html`<details class="point" key=${id} open>
        <summary><b>${title}</b> <span class="quiet">${counted(count, "time")}</span></summary>
        <p>${explanation} ${spec !== undefined && html`<span class="quiet">Specification ${spec}.</span>`}</p>
        <p><code>${printable(example)}</code></p>
        <${Exchanges} sequences=${sequences} count=${count} />
      </details>`,
    )}`;
}

function Exchanges(props: {
  readonly sequences: readonly number[];
  /** The report lists only the first of very many. */
  readonly count: number;
}): Part {
  const { sequences, count } = props;
  const [all, showAll] = useState(false);
  const listed = all ? sequences : sequences.slice(0, LISTED);
  const more = count - listed.length;
  return html`<p class="choices">Exchanges:
    ${listed.map((sequence) => [" ", link({ ...unfiltered, view: undefined, at: `${sequence}` }, `#${sequence}`)])}${" "}
    ${
      listed.length < sequences.length
        ? html`<button type="button" class="small" onClick=${() => showAll(true)}>and ${more} more</button>`
        : more > 0 && `and ${more} more`
    }</p>`;
}

function headline(kinds: number): string {
  if (kinds === 0) return "None of the mistakes that the report knows";
  return kinds === 1 ? "One kind of mistake" : `${kinds} kinds of mistakes`;
}

function Books({ audit }: { readonly audit: Audit }): Part {
  const { balanced, discrepancies, total, publishers, at } = audit;
  const lines = [total.impressions, total.clicks, total];
  const line = (name: keyof typeof total.impressions, label: string): unknown[] => [
    label,
    ...lines.map((one) => one[name]),
  ];
  return html`
    <p><strong>${balanced ? "The books balance" : "The books don't balance"}</strong> <span class="quiet">at ${at}</span></p>
    ${discrepancies.map((text) => html`<p class="problem" key=${text}>${text}</p>`)}
    <${Table} label="Totals" head=${["", "impressions", "clicks", "both"]} rows=${[
      line("attempts", "requests"),
      line("applied", "recorded"),
      line("duplicatesSuppressed", "duplicates"),
      line("refused", "refused"),
      line("injected", "answered by a rule"),
      line("lost", "answer lost"),
      line("dropped", "dropped"),
      line("unseen", "recorded, client doesn't know"),
      line("creditedRecordedInr", "credited, ₹"),
    ]} />
    <h3>By publisher</h3>
    <${Table} label="By publisher" head=${["publisher", "requests", "recorded", "refused", "lost", "revenue", "paid", "pending"]}
      rows=${publishers.map(({ publisher, attempts, applied, refused, lost, books }) => [
        link({ view: undefined, publisher }, publisher),
        attempts,
        applied,
        refused,
        lost,
        inr(books.revenueInr),
        inr(books.paidInr),
        inr(books.pendingInr),
      ])} />
    <${Facts} facts=${[["Without a key", `${audit.withoutKey.attempts} requests`]]} />`;
}
