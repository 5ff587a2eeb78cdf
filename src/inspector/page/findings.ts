/** What the client does wrong, and the sums of what it did, in a drawer beside the list. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { Audit } from "../../audit/audit.ts";
import type { ClientReport } from "../../audit/client-report.ts";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import { type Loaded, useLoaded } from "./loading.ts";
import { Facts, link, type Part, Waiting } from "./parts.ts";
import type { Source } from "./source.ts";
import { inr } from "./words.ts";

/** The titles of an exchange's findings. */
export function findingsBySequence(
  report: ClientReport | undefined,
): ReadonlyMap<number, readonly string[]> {
  const marks = new Map<number, string[]>();
  for (const { title, sequences } of report?.findings ?? []) {
    for (const sequence of sequences) marks.set(sequence, [...(marks.get(sequence) ?? []), title]);
  }
  return marks;
}

export function Findings(props: {
  readonly source: Source;
  readonly report: Loaded<ClientReport>;
  readonly version: unknown;
}): Part {
  const { source, report, version } = props;
  const audit = useLoaded(() => source.get<Audit>("audit"), [source], version);
  const { findings = [], requests = 0, notes = [] } = report.value ?? {};
  return html`
    <${Waiting} loaded=${report} />
    ${
      report.value !== undefined &&
      html`<p><b>${findings.length === 0 ? "None of the mistakes that adsim knows" : counted(findings.length, "finding")}</b>
        in ${counted(requests, "request")}.</p>`
    }
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
      }) => html`<section class="point" key=${id}>
        <h3>⚠ ${title} <span class="quiet">${counted(count, "time")}</span></h3>
        <p>${explanation}${spec !== undefined && html` <span class="quiet">Specification ${spec}.</span>`}</p>
        <p><code>${printable(example)}</code></p>
        <${Sequences} sequences=${sequences} count=${count} />
      </section>`,
    )}
    <h3>All that the client recorded</h3>
    <${Waiting} loaded=${audit} />
    ${audit.value !== undefined && html`<${Sums} audit=${audit.value} />`}`;
}

const LISTED = 20;

/** The report lists only the first of very many. */
function Sequences(props: { readonly sequences: readonly number[]; readonly count: number }): Part {
  const { sequences, count } = props;
  const [isAll, showAll] = useState(false);
  const listed = isAll ? sequences : sequences.slice(0, LISTED);
  return html`<p class="sequences">${listed.map((one) => html`${link({ at: `${one}`, text: undefined, show: undefined }, `#${one}`)} `)}
    ${listed.length < sequences.length && html`<button type="button" onClick=${() => showAll(true)}>all ${sequences.length}</button>`}
    ${count > sequences.length && html` and ${count - sequences.length} more`}</p>`;
}

function Sums({
  audit: { total, balanced, discrepancies, withoutKey },
}: {
  readonly audit: Audit;
}): Part {
  const { impressions, clicks } = total;
  const both = (
    name: "applied" | "duplicatesSuppressed" | "refused" | "lost" | "dropped" | "unseen",
  ): string => `${counted(impressions[name], "impression")}, ${counted(clicks[name], "click")}`;
  return html`<${Facts} facts=${[
    ["Recorded", both("applied")],
    ["Duplicates", both("duplicatesSuppressed")],
    ["Refused", both("refused")],
    ["Never arrived", both("dropped")],
    ["Answer lost", both("lost")],
    ["Recorded, and the client doesn't know", both("unseen")],
    ["Credited", inr(total.creditedRecordedInr)],
    ["Without a valid key", counted(withoutKey.attempts, "request")],
  ]} />
  ${!balanced && html`<p class="problem">The sums don't agree with each other: ${discrepancies.join("; ")}</p>`}`;
}
