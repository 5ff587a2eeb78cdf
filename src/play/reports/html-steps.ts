/** The steps of a result as a table: a row for each, with its request, answer, expectations and findings below. */

import { readableCount } from "../measure/quantities.ts";
import type { Check, PlayResult, ShownExchange, StepResult } from "../player/result.ts";
import { type Html, html, table } from "./html.ts";
import { answerLine, journalLine, resultSigns, tallyLine } from "./lines.ts";

export function stepTable({ steps }: PlayResult): Html {
  if (steps.length === 0) return html`<p class="muted">The scenario has no steps.</p>`;
  return table([["Result"], ["Step"], ["Where", "wide"], ["When", "wide"]], steps.map(stepRows));
}

/** A result with sign and word, so that it doesn't rely on colour alone. */
export function chip(result: StepResult["result"]): Html {
  return html`<span class="chip ${result}"><span aria-hidden="true">${resultSigns[result]}</span> ${result}</span>`;
}

function stepRows(step: StepResult): Html {
  const { path, title, at, times, result, why } = step;
  const often = times > 1 ? html` <span class="muted">× ${readableCount(times)}</span>` : html``;
  const reason = why === undefined ? html`` : html`<p class="muted">${why}</p>`;
  return html`<tr><td>${chip(result)}</td><th scope="row">${title}${often} <code class="narrow">${path}</code>${reason}</th><td class="wide"><code>${path}</code></td><td class="wide muted">${at.replace("T", " ").replace("Z", "")}</td></tr>
${details(step)}`;
}

function details(step: StepResult): Html {
  const { result, checks, exchange, tally, journal } = step;
  const parts = [
    ...checks.map(checkPart),
    ...(exchange === undefined ? [] : [exchangePart(exchange)]),
    ...(tally === undefined ? [] : [html`<h3>Requests</h3><p>${tallyLine(tally)}</p>`]),
    ...(journal === undefined || journal.length === 0
      ? []
      : [
          html`<h3>The last requests that the service saw</h3><pre>${journal.map(journalLine).join("\n")}</pre>`,
        ]),
  ];
  if (parts.length === 0) return html``;
  const open = result === "failed" ? html` open` : html``;
  return html`<tr class="more"><td colspan="4"><details${open}><summary>${summaryOf(step)}</summary>${parts}</details></td></tr>
`;
}

function summaryOf({ checks, exchange, tally }: StepResult): string {
  const parts = [
    ...(checks.length === 0 ? [] : [`${checks.length} expected`]),
    ...(exchange === undefined ? [] : ["request and answer"]),
    ...(tally === undefined ? [] : ["tally"]),
  ];
  return parts.length === 0 ? "journal" : parts.join(", ");
}

function checkPart({ result, about, expected, found, why }: Check): Html {
  const line = html`<p>${chip(result)} <code>${about}</code>${why === undefined ? "" : ` ${why}`}</p>`;
  if (result === "undecided") return line;
  if (result === "passed") return html`${line}<pre>${found}</pre>`;
  return html`${line}<div class="pair"><div><h3>Expected</h3><pre>${expected}</pre></div><div class="found"><h3>Found</h3><pre>${found}</pre></div></div>`;
}

function exchangePart(exchange: ShownExchange): Html {
  const { request, headers, body, outcome } = exchange;
  const { method, path, query } = request;
  const asked = `${method} ${path}${query === "" ? "" : `?${query}`}`;
  // The body is shown below.
  const answered = answerLine({ ...exchange, body: "" });
  const hasBody = outcome === "answered" || outcome === "cut";
  return html`<div class="pair"><div><h3>Request</h3><pre>${message(asked, request.headers, request.body)}</pre></div><div><h3>Answer</h3><pre>${message(answered, headers, hasBody ? body : "")}</pre></div></div>`;
}

function message(first: string, headers: Readonly<Record<string, string>>, body: string): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [first, ...named, ...(body === "" ? [] : ["", body])].join("\n");
}
