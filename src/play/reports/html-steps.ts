/** The steps of a result as a table: a row for each, with its request, answer, expectations and findings below. */

import { readableCount } from "../measure/quantities.ts";
import { restsInWords } from "../player/matching.ts";
import type { Check, PlayResult, ShownExchange, StepResult } from "../player/result.ts";
import { type Html, html, table } from "./html.ts";
import { answerLine, journalLine, resultSigns, tallyLine } from "./lines.ts";

export function stepTable({ steps }: PlayResult): Html {
  if (steps.length === 0) return html`<p class="muted">The scenario has no steps.</p>`;
  return table([["Result"], ["Step"], ["When", "wide"]], steps.map(stepRows));
}

/** A result with sign and word, so that it doesn't rely on colour alone. */
export function chip(result: StepResult["result"]): Html {
  return html`<span class="chip ${result}"><span aria-hidden="true">${resultSigns[result]}</span> ${result}</span>`;
}

function stepRows(step: StepResult): Html {
  const { path, title, at, times, result, why } = step;
  const often = times > 1 ? ` × ${readableCount(times)}` : "";
  const reason = why === undefined ? html`` : html`<p class="muted">${why}</p>`;
  return html`<tr><td>${chip(result)}</td><th scope="row">${title}${often} <code class="muted">${path}</code>${reason}</th><td class="wide muted">${at.replace("T", " ").replace("Z", "")}</td></tr>
${details(step)}`;
}

function details({ result, checks, exchange, tally, journal = [] }: StepResult): Html {
  const parts = [
    [checks.length > 0, `${checks.length} expected`, html`${checks.map(checkPart)}`],
    [
      exchange !== undefined,
      "request and answer",
      exchange === undefined ? html`` : exchangePart(exchange),
    ],
    [
      tally !== undefined,
      "tally",
      tally === undefined ? html`` : html`<h3>Requests</h3><p>${tallyLine(tally)}</p>`,
    ],
    [
      journal.length > 0,
      "journal",
      html`<h3>The last requests that the service saw</h3><pre>${journal.map(journalLine).join("\n")}</pre>`,
    ],
  ] as const;
  const shown = parts.filter(([isThere]) => isThere);
  if (shown.length === 0) return html``;
  const open = result === "failed" ? html` open` : html``;
  const summary = shown.map(([, name]) => name).join(", ");
  return html`<tr class="more"><td colspan="3"><details${open}><summary>${summary}</summary>${shown.map(([, , part]) => part)}</details></td></tr>
`;
}

function checkPart(check: Check): Html {
  const { result, about, expected, found, why = "" } = check;
  const line = html`<p>${chip(result)} <code>${about}</code> ${why} ${restsInWords(check)}</p>`;
  if (result === "undecided") return line;
  if (result === "passed") return html`${line}<pre>${found}</pre>`;
  return html`${line}${pair(["Expected", expected], ["Found", found])}`;
}

function exchangePart(exchange: ShownExchange): Html {
  const { request, headers, body, outcome } = exchange;
  const { method, path, query } = request;
  const asked = `${method} ${path}${query === "" ? "" : `?${query}`}`;
  // The body is shown below.
  const answered = answerLine({ ...exchange, body: "" });
  const hasBody = outcome === "answered" || outcome === "cut";
  return pair(
    ["Request", message(asked, request.headers, request.body)],
    ["Answer", message(answered, headers, hasBody ? body : "")],
  );
}

function pair(...sides: readonly (readonly [heading: string, text: string])[]): Html {
  return html`<div class="pair">${sides.map(([heading, text]) => html`<div><h3>${heading}</h3><pre>${text}</pre></div>`)}</div>`;
}

function message(first: string, headers: Readonly<Record<string, string>>, body: string): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [first, ...named, ...(body === "" ? [] : ["", body])].join("\n");
}
