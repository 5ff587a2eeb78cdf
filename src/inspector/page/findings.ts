/** What the client does wrong, and the sums of what it did, in a drawer beside the list. */

import { html } from "htm/preact";
import type { Audit } from "../../audit/audit.ts";
import type { ClientReport } from "../../audit/client-report.ts";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import { useLoaded } from "./loading.ts";
import { type DrawerProps, Facts, link, type Part, Waiting } from "./parts.ts";
import { inr } from "./words.ts";

/** Most requests that a finding lists. */
const LISTED = 20;

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

export function Findings({ source, report, version }: DrawerProps): Part {
  const audit = useLoaded(() => source.get<Audit>("audit"), [source], version);
  const { findings = [], requests = 0, notes = [] } = report.value ?? {};
  return html`
    <${Waiting} loaded=${report} />
    ${
      report.value !== undefined &&
      html`<p><b>${findings.length === 0 ? "None of the mistakes that adsim knows" : counted(findings.length, "finding")}</b> in ${counted(requests, "request")}.</p>`
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
        <p class="sequences">${sequences.slice(0, LISTED).map((one) => html`${link({ at: `${one}`, text: undefined, show: undefined }, `#${one}`)} `)}
          ${count > LISTED && html`and ${count - LISTED} more`}</p>
      </section>`,
    )}
    <h3>All that the client recorded</h3>
    <${Waiting} loaded=${audit} />
    ${audit.value !== undefined && html`<${Sums} audit=${audit.value} />`}`;
}

function Sums({ audit }: { readonly audit: Audit }): Part {
  const { impressions, clicks, creditedRecordedInr } = audit.total;
  const both = (name: "applied" | "duplicatesSuppressed" | "refused" | "unseen"): string =>
    `${counted(impressions[name], "impression")}, ${counted(clicks[name], "click")}`;
  return html`<${Facts} facts=${[
    ["Recorded", both("applied")],
    ["Recorded, and the client doesn't know", both("unseen")],
    ["Duplicates", both("duplicatesSuppressed")],
    ["Refused", both("refused")],
    ["Credited", inr(creditedRecordedInr)],
  ]} />`;
}
