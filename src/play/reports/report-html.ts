/** A result as one self-contained page of HTML without scripts. It fetches nothing, and the same result gives the same bytes. */

import type { PlayResult, StepResult } from "../player/result.ts";
import { type Html, html } from "./html.ts";
import { chartsOf } from "./html-charts.ts";
import { STYLE } from "./html-style.ts";
import { detailLines, outcomeLines, resultSigns } from "./lines.ts";

export function reportHtml(play: PlayResult): string {
  const { scenario, result } = play;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${resultSigns[result]} ${result}: ${scenario.name} (adsim)</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>${chip(result)} <h1>${scenario.name}</h1>
<p class="why">${play.why}</p>
<p class="muted">${scenario.about}</p></header>
${outcomeLines(play).map((line) => html`<p>${line}</p>`)}
<h2>Over time</h2>
${chartsOf(play)}
${table("Steps", play.steps.map(stepRow))}
${table(
  "Skipped",
  play.skipped.map(({ path, why }) => ["skipped", html`<code>${path}</code> ${why}`]),
)}
${table(
  "Thresholds",
  play.thresholds.map((one) => [one.result, html`<code>${one.threshold}</code> ${one.found}`]),
)}
${table(
  "Invariants",
  play.invariants.map(({ id, says, why = "", ...one }) => [
    one.result,
    html`<code>${id}</code> ${says} <span class="muted">${why}</span>`,
  ]),
)}
<h2>Play it again</h2>
<pre>${play.reproduce}</pre>
<p class="muted">Began ${play.startedAt}, ended ${play.endedAt}, on the target's clock. Digest <code>${play.digest}</code>.</p>
</main>
</body>
</html>
`.html;
}

type Row = readonly [result: StepResult["result"], what: Html];

function table(title: string, rows: readonly Row[]): Html {
  if (rows.length === 0) return html``;
  return html`<h2>${title}</h2>
<table><thead><tr><th scope="col">Result</th><th scope="col">What</th></tr></thead>
<tbody>
${rows.map(([result, what]) => html`<tr><td>${chip(result)}</td><th scope="row">${what}</th></tr>\n`)}</tbody></table>
`;
}

/** A result with sign and word, so that it doesn't rely on colour alone. */
function chip(result: StepResult["result"]): Html {
  return html`<span class="chip ${result}"><span aria-hidden="true">${resultSigns[result]}</span> ${result}</span>`;
}

function stepRow(step: StepResult): Row {
  const { path, title, at, times, result } = step;
  const often = times > 1 ? ` × ${times}` : "";
  const lines = detailLines(step);
  const open = result === "failed" ? html` open` : html``;
  const details =
    lines.length === 0
      ? html``
      : html`<details${open}><summary>details</summary><pre>${lines.join("\n")}</pre></details>`;
  return [
    result,
    html`${title}${often} <span class="muted"><code>${path}</code> ${at}</span>${details}`,
  ];
}
