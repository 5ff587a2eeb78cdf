/** A result as one self-contained page of HTML. It fetches nothing, and the same result gives the same bytes. */

import {
  plural,
  readableCount,
  readableDuration,
  readableInr,
  readableMs,
  readableShare,
} from "../measure/quantities.ts";
import type { PlayResult } from "../player/result.ts";
import { type Chart, type ChartData, chartDataOf } from "./chart-data.ts";
import { CHART_SCRIPT } from "./chart-script.ts";
import { type Html, html, scriptJson, table, trusted } from "./html.ts";
import { chip, stepTable } from "./html-steps.ts";
import { STYLE } from "./html-style.ts";
import { resultCounts, resultSigns, targetLine } from "./lines.ts";

/** The texts of uPlot's script and style sheet. */
export interface ChartLibrary {
  readonly uplotJs: string;
  readonly uplotCss: string;
}

export function reportHtml(play: PlayResult, library: ChartLibrary): string {
  const { scenario, result } = play;
  const data = chartDataOf(play);
  // Scripts and styles without the nonce don't run. The author of a scenario can't know it in advance.
  const nonce = `adsim-${play.digest.replaceAll(/[^A-Za-z0-9]/g, "")}`;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${resultSigns[result]} ${result}: ${scenario.name} (adsim)</title>
<style nonce="${nonce}">${trusted(library.uplotCss)}${trusted(STYLE)}</style>
</head>
<body>
<main>
${head(play)}
${figures(play)}
<h2>Over time</h2>
${data === undefined ? html`<p class="muted">No requests were sent, so there is nothing to draw.</p>` : charts(data, play)}
<h2>Steps</h2>
${stepTable(play)}
${skipped(play)}${thresholds(play)}${invariants(play)}
<h2>Play it again</h2>
<pre class="all">${play.reproduce}</pre>
</main>
<footer>${targetLine(play.target)}. Began ${play.startedAt}, ended ${play.endedAt}, on the target's clock. Digest <code>${play.digest}</code>.</footer>
${data === undefined ? html`` : scripts(data, library, nonce)}</body>
</html>
`.html;
}

function head({ scenario, result, why }: PlayResult): Html {
  return html`<header><div class="top">${chip(result)}<h1>${scenario.name}</h1></div>
<p class="why">${why}</p>
<p class="muted">${scenario.about}</p></header>`;
}

function figures({ tally, latency, startedAt, endedAt, target }: PlayResult): Html {
  const unanswered = tally.cut + tally.lost + tally.timedOut;
  const tookMs = Math.max(Date.parse(endedAt) - Date.parse(startedAt), 0);
  const time = { virtual: "Virtual time", paced: "Time, paced", real: "Real time" }[target.time];
  const all: readonly (readonly [string, string, boolean])[] = [
    ["Requests", readableCount(tally.sent), true],
    [`Ok, ${readableShare(tally.ok, tally.sent)}`, readableCount(tally.ok), tally.sent > 0],
    ["Refused (4xx)", readableCount(tally.refused), tally.refused > 0],
    ["Failed (5xx)", readableCount(tally.failed), tally.failed > 0],
    ["No answer", readableCount(unanswered), unanswered > 0],
    ["Sent late", readableCount(tally.late), tally.late > 0],
    ["Never sent", readableCount(tally.dropped), tally.dropped > 0],
    ["Credited", readableInr(tally.creditedInr), tally.creditedInr > 0],
    ["Latency p50", readableMs(latency?.p50 ?? 0), latency !== undefined],
    ["Latency p95", readableMs(latency?.p95 ?? 0), latency !== undefined],
    ["Latency p99", readableMs(latency?.p99 ?? 0), latency !== undefined],
    ["Latency max", readableMs(latency?.max ?? 0), latency !== undefined],
    [time, readableDuration(tookMs), true],
  ];
  const shown = all.filter(([, , isShown]) => isShown);
  return html`<dl class="figures">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function charts({ charts: all }: ChartData, { timeline }: PlayResult): Html {
  const each = readableDuration(timeline.bucketMs);
  return html`<div id="charts">${all.map((chart) => figure(chart, each))}</div>
<noscript><p>The charts need JavaScript; their figures are in the table.</p></noscript>
<p></p><details><summary>The same as a table</summary>${timelineTable(timeline, each)}</details>`;
}

function figure({ id, title, unit, path, lines }: Chart, each: string): Html {
  const highest = lines.map(({ label, values }) => {
    const most = values.reduce<number>((so, value) => Math.max(so, value ?? 0), 0);
    return `${label} up to ${readableCount(most)}${unit}`;
  });
  const label = `${title} over time: ${highest.join(", ")}.`;
  const isZero = id === "latency" && lines.every(({ values }) => values.every((one) => !one));
  const noted = isZero ? "no answer was delayed" : path === "line" ? "so far" : `for each ${each}`;
  return html`<figure><figcaption>${title} <span>${noted}</span></figcaption><div id="chart-${id}" role="img" aria-label="${label}"></div></figure>
`;
}

function timelineTable({ buckets }: PlayResult["timeline"], each: string): Html {
  const names = ["Sent", "Ok", "Refused", "Failed", "No answer", "INR", "p50 ms", "p99 ms"];
  const headings = names.map((name) => [name, "number"] as const);
  const rows = buckets.map((one) => {
    const { atMs, sent, ok, refused, failed, unanswered, creditedInr, p50, p99 } = one;
    const cells = [sent, ok, refused, failed, unanswered, creditedInr, p50, p99];
    return html`<tr><th scope="row">${atMs / 1000} s</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>
`;
  });
  return table(
    [["After"], ...headings],
    rows,
    `Each row is a stretch of ${each} in which requests were sent`,
  );
}

function skipped({ skipped: all }: PlayResult): Html {
  if (all.length === 0) return html``;
  return html`<h2>Skipped</h2>
<p class="muted">${plural(all.length, "step")} that the target can't do.</p>
<ul>${all.map(({ path, why }) => html`<li><code>${path}</code> ${why}</li>`)}</ul>
`;
}

function thresholds({ thresholds: all }: PlayResult): Html {
  if (all.length === 0) return html``;
  const rows = all.map(
    ({ threshold, result, found }) =>
      html`<tr><td>${chip(result)}</td><th scope="row"><code>${threshold}</code></th><td>${found}</td></tr>
`,
  );
  return html`<h2>Thresholds</h2>
${table([["Result"], ["Threshold"], ["Found"]], rows)}
`;
}

function invariants({ invariants: all }: PlayResult): Html {
  if (all.length === 0) return html``;
  const rows = all.map(
    ({ id, says, result, why }) =>
      html`<tr><td>${chip(result)}</td><th scope="row"><code>${id}</code> ${says}${why === undefined ? html`` : html`<p class="muted">${why}</p>`}</th></tr>
`,
  );
  const open = all.some(({ result }) => result === "failed") ? html` open` : html``;
  return html`<h2>Invariants</h2>
<details${open}><summary>${resultCounts(all)}</summary>${table([["Result"], ["What must hold"]], rows)}</details>
`;
}

function scripts(data: ChartData, { uplotJs }: ChartLibrary, nonce: string): Html {
  // A string in the library's text could contain the element's end tag.
  const library = uplotJs.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  // The end tags have a backslash. Otherwise the bundler rewrites the template with a helper library that isn't installed.
  return html`<script type="application/json" id="chart-data">${scriptJson(data)}<\/script>
<script nonce="${nonce}">${trusted(library)}<\/script>
<script nonce="${nonce}">${trusted(CHART_SCRIPT)}<\/script>
`;
}
