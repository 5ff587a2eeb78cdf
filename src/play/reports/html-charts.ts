/** A run over time as charts in SVG, without a script. Texts stand outside the drawings, which are stretched. */

import { readableCount, readableDuration } from "../measure/quantities.ts";
import type { TimelineBucket } from "../measure/timeline.ts";
import type { PlayResult } from "../player/result.ts";
import { type Html, html } from "./html.ts";

interface Chart {
  readonly title: string;
  readonly unit: string;
  /** Whether each series stands on the one before. Otherwise it stands in front of it. */
  readonly isStacked: boolean;
  readonly series: readonly Series[];
}

interface Series {
  readonly name: string;
  /** A class of the page's style. */
  readonly colour: string;
  readonly of: (bucket: TimelineBucket) => number;
}

const charts: readonly Chart[] = [
  {
    ...{ title: "Requests", unit: "", isStacked: true },
    series: [
      { name: "ok", colour: "ok", of: ({ ok }) => ok },
      { name: "with another status", colour: "other", of: otherAnswers },
      { name: "refused", colour: "refused", of: ({ refused }) => refused },
      { name: "failed", colour: "bad", of: ({ failed }) => failed },
      { name: "no answer", colour: "none", of: ({ unanswered }) => unanswered },
    ],
  },
  {
    ...{ title: "Latency", unit: " ms", isStacked: false },
    series: [
      { name: "p99", colour: "refused", of: ({ p99 }) => p99 },
      { name: "p50", colour: "ok", of: ({ p50 }) => p50 },
    ],
  },
];

export function chartsOf({ timeline }: PlayResult): Html {
  const { bucketMs, buckets: sent } = timeline;
  const last = sent.at(-1);
  if (last === undefined) {
    return html`<p class="muted">No requests were sent, so there is nothing to draw.</p>`;
  }
  const byPlace = new Map(sent.map((bucket) => [Math.round(bucket.atMs / bucketMs), bucket]));
  const count = Math.round(last.atMs / bucketMs) + 1;
  const buckets = Array.from({ length: count }, (_, place) => byPlace.get(place));
  const each = readableDuration(bucketMs);
  const end = readableDuration(count * bucketMs);
  return html`<div class="charts">${charts.map((chart) => figure(chart, buckets, { each, end }))}</div>`;
}

function otherAnswers({ sent, ok, refused, failed, unanswered }: TimelineBucket): number {
  return sent - ok - refused - failed - unanswered;
}

function figure(
  { title, unit, isStacked, series }: Chart,
  buckets: readonly (TimelineBucket | undefined)[],
  { each, end }: { readonly each: string; readonly end: string },
): Html {
  let below = buckets.map(() => 0);
  const drawn = series.map(({ name, colour, of }) => {
    const values = buckets.map((bucket) => (bucket === undefined ? 0 : of(bucket)));
    const heights = values.map((value, place) => value + (isStacked ? (below[place] ?? 0) : 0));
    below = heights;
    return { name, colour, most: Math.max(...values), heights };
  });
  const shown = drawn.filter(({ most }, place) => most > 0 || place === 0);
  const top = Math.max(...shown.flatMap(({ heights }) => heights), Number.MIN_VALUE);
  const paths = shown.map(
    ({ colour, heights }) => html`<path class="${colour}" d="${pathOf(heights, top)}"/>`,
  );
  const keys = shown.map(({ name, most }) => `${name} up to ${readableCount(most)}${unit}`);
  // What stands on another covers it, so the lowest is drawn last.
  return html`<figure><figcaption>${title} <span>for each ${each}</span></figcaption>
<svg viewBox="0 0 ${buckets.length} 100" preserveAspectRatio="none" role="img" aria-label="${title} over time: ${keys.join(", ")}.">${isStacked ? paths.toReversed() : paths}</svg>
<p><span>0 s</span><span>${end}</span></p>
<p class="key">${shown.map(({ colour }, place) => html`<span><i class="${colour}"></i> ${keys[place] ?? ""}</span>`)}</p></figure>
`;
}

/** Steps, each a bucket wide, and 100 high at `top`. */
function pathOf(heights: readonly number[], top: number): string {
  const steps = heights.map((height, place) => {
    const y = Math.round(10_000 - (height / top) * 9600) / 100;
    return `V${y}H${place + 1}`;
  });
  return `M0 100${steps.join("")}V100Z`;
}
