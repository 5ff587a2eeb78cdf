/** A run over time as charts in SVG, without a script. Texts stand outside the drawings, which are stretched. */

import { readableCount, readableDuration, readableMs } from "../measure/quantities.ts";
import type { TimelineBucket } from "../measure/timeline.ts";
import type { PlayResult, StepResult } from "../player/result.ts";
import { type Markup, markup } from "./markup.ts";

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

export function charts({ timeline: { bucketMs, buckets } }: PlayResult): Markup {
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
