/** A result as one self-contained page of HTML without scripts. It fetches nothing, and the same result gives the same bytes. */

import type { PlayResult, StepResult } from "../player/result.ts";
import { charts } from "./charts.ts";
import { STYLE } from "./html-style.ts";
import { detailLines, outcomeLines, resultSigns, stepLine } from "./lines.ts";
import { type Markup, markup } from "./markup.ts";

export function reportHtml(play: PlayResult): string {
  const { scenario, result } = play;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${resultSigns[result]} ${result}: ${scenario.name} (adsim)</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>${chip(result)} <h1>${scenario.name}</h1>
<p class="why">${play.why}</p>
<p class="muted">${scenario.about}</p></header>
${outcomeLines(play).map((line) => markup`<p>${line}</p>`)}
<h2>Over time</h2>
${charts(play)}
${table("Steps", play.steps.map(stepRow))}
${table(
  "Skipped",
  play.skipped.map(({ path, why }) => ["skipped", `${path}  ${why}`]),
)}
${table(
  "Thresholds",
  play.thresholds.map((one) => [one.result, `${one.threshold}: ${one.found}`]),
)}
${table(
  "Invariants",
  play.invariants.map(({ id, says, why = "", result: of }) => [of, `${id} ${says} ${why}`]),
)}
<h2>Play it again</h2>
<pre>${play.reproduce}</pre>
<p class="muted">Began ${play.startedAt}, ended ${play.endedAt}, on the target's clock. Digest <code>${play.digest}</code>.</p>
</main>
</body>
</html>
`.markup;
}

type Row = readonly [result: StepResult["result"], what: Markup | string];

function table(title: string, rows: readonly Row[]): Markup {
  if (rows.length === 0) return markup``;
  return markup`<h2>${title}</h2>
<table><thead><tr><th scope="col">Result</th><th scope="col">What</th></tr></thead>
<tbody>
${rows.map(([result, what]) => markup`<tr><td>${chip(result)}</td><th scope="row">${what}</th></tr>\n`)}</tbody></table>
`;
}

/** A result with sign and word, so that it doesn't rely on colour alone. */
function chip(result: StepResult["result"]): Markup {
  return markup`<span class="chip ${result}"><span aria-hidden="true">${resultSigns[result]}</span> ${result}</span>`;
}

function stepRow(step: StepResult): Row {
  const { at, result } = step;
  const lines = detailLines(step);
  const open = result === "failed" ? markup` open` : markup``;
  const details =
    lines.length === 0
      ? markup``
      : markup`<details${open}><summary>details</summary><pre>${lines.join("\n")}</pre></details>`;
  return [result, markup`${stepLine(step)} <span class="muted">${at}</span>${details}`];
}
