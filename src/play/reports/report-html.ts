/** A result as one self-contained page of HTML without scripts. It fetches nothing, and the same result gives the same bytes. */

import type { PlayResult, StepResult } from "../player/result.ts";
import { type Html, html, table } from "./html.ts";
import { chartsOf } from "./html-charts.ts";
import { chip, stepTable } from "./html-steps.ts";
import { STYLE } from "./html-style.ts";
import { outcomeLines, resultSigns } from "./lines.ts";

export function reportHtml(play: PlayResult): string {
  const { scenario, result, skipped, thresholds, invariants } = play;
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
<header><div class="top">${chip(result)}<h1>${scenario.name}</h1></div>
<p class="why">${play.why}</p>
<p class="muted">${scenario.about}</p></header>
${outcomeLines(play).map((line) => html`<p>${line}</p>`)}
<h2>Over time</h2>
${chartsOf(play)}
<h2>Steps</h2>
${stepTable(play)}
${judged(
  "Skipped",
  skipped.map(({ path, why }) => ["skipped", html`<code>${path}</code>`, why]),
)}
${judged(
  "Thresholds",
  thresholds.map(({ threshold, result, found }) => [
    result,
    html`<code>${threshold}</code>`,
    found,
  ]),
)}
${judged(
  "Invariants",
  invariants.map(({ id, says, result, why = "" }) => [
    result,
    html`<code>${id}</code> ${says}`,
    why,
  ]),
)}
<h2>Play it again</h2>
<pre>${play.reproduce}</pre>
</main>
<footer>Began ${play.startedAt}, ended ${play.endedAt}, on the target's clock. Digest <code>${play.digest}</code>.</footer>
</body>
</html>
`.html;
}

/** One row for each: its result, what it is, and what was found. */
function judged(
  title: string,
  all: readonly (readonly [StepResult["result"], Html, string])[],
): Html {
  if (all.length === 0) return html``;
  const rows = all.map(
    ([result, what, found]) =>
      html`<tr><td>${chip(result)}</td><th scope="row">${what}</th><td>${found}</td></tr>
`,
  );
  return html`<h2>${title}</h2>
${table([["Result"], ["What must hold"], ["Found"]], rows)}
`;
}
