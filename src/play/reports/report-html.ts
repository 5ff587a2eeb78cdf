/**
 * A result as one self-contained page of HTML without scripts, with the run over time as charts in SVG. It fetches nothing, and
 * the same result gives the same bytes. It follows the reader's light or dark theme and fits on a phone.
 */

import { readableCount, readableDuration, readableMs } from "../measure/quantities.ts";
import type { TimelineBucket } from "../measure/timeline.ts";
import type { PlayResult, StepResult } from "../player/result.ts";
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

/** `colour`: a series has the colour of a result. */
type Series = readonly [
  name: string,
  colour: StepResult["result"],
  of: (bucket: TimelineBucket) => number,
];

const requests: readonly Series[] = [
  ["ok", "passed", ({ ok }) => ok],
  ["refused", "undecided", ({ refused }) => refused],
  ["failed", "failed", ({ failed }) => failed],
  ["no answer", "done", ({ unanswered }) => unanswered],
];
const latency: readonly Series[] = [
  ["p50", "passed", ({ p50 }) => p50],
  ["p99", "undecided", ({ p99 }) => p99],
];

function charts({ timeline: { bucketMs, buckets } }: PlayResult): Markup {
  if (buckets.length === 0)
    return markup`<p>No requests were sent, so there is nothing to draw.</p>`;
  const end = readableDuration(bucketMs * buckets.length);

  function chart(
    title: string,
    all: readonly Series[],
    readable: (value: number) => string,
  ): Markup {
    const drawn = all.map(([name, colour, of]) => {
      const values = buckets.map(of);
      return { colour, values, says: `${name} up to ${readable(Math.max(...values))}` };
    });
    const top = Math.max(...drawn.flatMap(({ values }) => values), Number.MIN_VALUE);
    return markup`<figure><figcaption>${title}, each ${readableDuration(bucketMs)}</figcaption>
<svg viewBox="0 0 ${buckets.length} 100" preserveAspectRatio="none" role="img"
  aria-label="${title} over time: ${drawn.map(({ says }) => says).join(", ")}.">
${drawn.map(({ colour, values }) => markup`<path class="${colour}" d="${pathOf(values, top)}"/>`)}</svg>
<p>${drawn.map(({ colour, says }) => markup`<span class="chip ${colour}">${says}</span> `)}
<span class="muted">0 s to ${end}</span></p></figure>
`;
  }
  return markup`<div class="charts">${chart("Requests", requests, readableCount)}
${chart("Latency", latency, readableMs)}</div>`;
}

/** Steps, each a bucket wide. The drawing is 100 high. */
function pathOf(values: readonly number[], top: number): string {
  const heights = values.map((value) => 98 - Math.round((value / top) * 9600) / 100);
  return heights.map((y, place) => `${place === 0 ? "M0 " : "V"}${y}H${place + 1}`).join("");
}

const STYLE: Markup = {
  markup: `
:root { color-scheme: light dark; }
body {
  margin: 0; font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  color: light-dark(#1b2129, #e7ebf0); background: light-dark(#f4f5f7, #12161b);
}
main { max-width: 1120px; margin: 0 auto; padding: 28px 20px; }
h1 { display: inline; font-size: 24px; }
h2 { margin: 34px 0 12px; font-size: 18px; }
p { margin: 6px 0; }
.passed { color: light-dark(#17723f, #6fd39a); }
.failed { color: light-dark(#b3261e, #ff9d94); }
.undecided, .skipped { color: light-dark(#835400, #f0c465); }
.done, .muted { color: light-dark(#59636f, #a2adb9); }
.chip { font-size: 13px; font-weight: 600; white-space: nowrap; }
.charts {
  display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr));
}
figure, table {
  background: light-dark(#ffffff, #1b2129); border: 1px solid light-dark(#dfe3e8, #313a45);
}
figure { margin: 0; padding: 12px 14px 8px; }
svg { display: block; width: 100%; height: 140px; }
path { fill: none; stroke: currentColor; stroke-width: 2; vector-effect: non-scaling-stroke; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 8px 10px; font-weight: 400; }
thead th:first-child { width: 1%; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { margin: 0; padding: 8px 12px; white-space: pre-wrap; }
`,
};
