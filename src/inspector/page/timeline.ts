/** A picture of the exchanges over time: events, revenue, and refusals by limits. Drawn as SVG by hand. */

import { html } from "htm/preact";
import type { Item, Row } from "./contract.ts";
import { isRow } from "./log.ts";
import { inr, type Part } from "./parts.ts";
import { go, usePlace } from "./place.ts";

const BUCKETS = 80;
const HEIGHT = 60;

interface Chart {
  readonly title: string;
  /** In the order in which they are stacked. */
  readonly series: readonly {
    readonly name: string;
    readonly className: string;
    of(row: Row): number;
  }[];
  shown(value: number): string;
}

const one = (holds: boolean): number => (holds ? 1 : 0);
const isApplied = (row: Row, operation: string): boolean =>
  row.effect === "applied" && row.operation === operation;

const charts: readonly Chart[] = [
  {
    title: "Events recorded",
    series: [
      { name: "impressions", className: "first", of: (row) => one(isApplied(row, "impression")) },
      { name: "clicks", className: "second", of: (row) => one(isApplied(row, "click")) },
    ],
    shown: (value) => `${value}`,
  },
  {
    title: "Revenue credited",
    series: [
      {
        name: "revenue",
        className: "first",
        of: (row) => (row.effect === "applied" ? (row.creditInr ?? 0) : 0),
      },
    ],
    shown: (value) => inr(Math.round(value * 1e6) / 1e6),
  },
  {
    title: "Refused by a limit, and failed",
    series: [
      {
        name: "recording limit",
        className: "refused",
        of: (row) => one(row.limit === "recording"),
      },
      { name: "reporting limit", className: "change", of: (row) => one(row.limit === "reporting") },
      {
        name: "5xx or no answer",
        className: "failed",
        // A limit may also answer 503. One of the two answers to a duplicated request never reaches the client.
        of: (row) =>
          one(
            row.limit === undefined &&
              (row.status >= 500 || (row.status === 0 && row.fault?.kind !== "duplicate")),
          ),
      },
    ],
    shown: (value) => `${value}`,
  },
];

export function Timeline({ items }: { readonly items: readonly Item[] }): Part {
  const place = usePlace();
  const rows = items.filter(isRow);
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return html`<p class="quiet">No request yet.</p>`;
  // A frozen clock puts everything into one place: then the order says more.
  const times = rows.map((row) => Date.parse(row.at));
  // A snapshot that was restored may have set time back.
  const earliest = times.reduce((one, other) => Math.min(one, other));
  const latest = times.reduce((one, other) => Math.max(one, other));
  const isOneTime = earliest === latest;
  const byOrder = place.by === "order" || isOneTime;
  const at = (row: Row): number => (byOrder ? row.sequence : Date.parse(row.at));
  const [from, until] = byOrder ? [first.sequence, last.sequence] : [earliest, latest];
  const bucketOf = (row: Row): number =>
    Math.min(BUCKETS - 1, Math.floor(((at(row) - from) / Math.max(1, until - from)) * BUCKETS));
  // Within a minute, seconds alone could be the same.
  const length = until - from < 60_000 ? 23 : 19;
  const ends = [from, until].map((end) =>
    byOrder ? `#${end}` : new Date(end).toISOString().replace("T", " ").slice(0, length),
  );
  return html`
    <div class="buttons" role="group" aria-label="Over what">
      ${(["time", "order"] as const).map(
        (
          by,
        ) => html`<button type="button" class="small" key=${by} aria-pressed=${byOrder === (by === "order")}
          disabled=${isOneTime} onClick=${() => go({ by: by === "time" ? undefined : by }, "replace")}>
          by ${by === "time" ? "world time" : "order"}</button>`,
      )}
    </div>
    <div class="charts">${charts.map((chart) => html`<${Bars} key=${chart.title} ...${{ chart, rows, bucketOf, ends }} />`)}</div>`;
}

function Bars(props: {
  readonly chart: Chart;
  readonly rows: readonly Row[];
  readonly ends: readonly string[];
  bucketOf(row: Row): number;
}): Part {
  const { chart, rows, ends, bucketOf } = props;
  const { title, series, shown } = chart;
  const sums = series.map(() => new Array<number>(BUCKETS).fill(0));
  for (const row of rows) {
    const bucket = bucketOf(row);
    for (const [index, { of }] of series.entries()) {
      const sum = sums[index];
      if (sum !== undefined) sum[bucket] = (sum[bucket] ?? 0) + of(row);
    }
  }
  if (sums.every((sum) => sum.every((value) => value === 0)))
    return html`<p><b>${title}</b> <span class="quiet">None.</span></p>`;
  const stacked = Array.from({ length: BUCKETS }, (_, bucket) =>
    sums.reduce((total, sum) => total + (sum[bucket] ?? 0), 0),
  );
  const highest = Math.max(...stacked);
  const scale = HEIGHT / Math.max(highest, Number.MIN_VALUE);
  const bases = new Array<number>(BUCKETS).fill(0);
  const totals = sums.map((sum) => sum.reduce((total, value) => total + value, 0));
  const legend = series.map(({ name }, index) => `${name} ${shown(totals[index] ?? 0)}`);
  const pathOf = (sum: readonly number[]): string =>
    sum
      .map((value, bucket) => {
        if (value === 0) return "";
        const height = value * scale;
        const y = HEIGHT - (bases[bucket] ?? 0) - height;
        bases[bucket] = (bases[bucket] ?? 0) + height;
        return `M${bucket} ${y}h0.85v${height}h-0.85z`;
      })
      .join("");
  return html`<figure>
    <figcaption><b>${title}</b> ${series.map(
      ({ name, className }, index) =>
        html`<span key=${name} class="legend"><i class=${className}></i>${legend[index]}</span>`,
    )}</figcaption>
    <svg viewBox=${`0 0 ${BUCKETS} ${HEIGHT}`} preserveAspectRatio="none" role="img"
      aria-label=${`${title} from ${ends[0]} to ${ends[1]}: ${legend.join(", ")}. At most ${shown(highest)} in a bar.`}>
      ${series.map(({ name, className }, index) => html`<path key=${name} class=${className} d=${pathOf(sums[index] ?? [])} />`)}
    </svg>
    <div class="axis quiet"><span>${ends[0]}</span><span>at most ${shown(highest)} in a bar</span><span>${ends[1]}</span></div>
  </figure>`;
}
