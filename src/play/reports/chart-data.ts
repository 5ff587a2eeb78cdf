/** Converts a run's timeline into four charts: rate, latency, statuses and revenue. */

import { microsToInr, nearestMicros } from "../../base/money.ts";
import type { TimelineBucket } from "../measure/timeline.ts";
import type { PlayResult } from "../player/result.ts";

/** A chart as the page's script draws it. */
export interface Chart {
  readonly id: "rate" | "latency" | "statuses" | "revenue";
  readonly title: string;
  readonly unit: string;
  /** `stepped`: a value for each bucket. `line`: values at instants. */
  readonly path: "stepped" | "line";
  readonly stacked: boolean;
  readonly lines: readonly ChartLine[];
}

export interface ChartLine {
  readonly label: string;
  /** Name of a custom property in the page's style. */
  readonly colour: string;
  /** One value for each bucket edge; the last repeats the one before. Null for a gap. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** Bucket edges, in seconds from the beginning of the run. */
  readonly seconds: readonly number[];
  readonly charts: readonly Chart[];
}

/** Undefined for a run without requests. */
export function chartDataOf({ timeline }: PlayResult): ChartData | undefined {
  const { bucketMs } = timeline;
  const last = timeline.buckets.at(-1);
  if (last === undefined) return undefined;
  const byIndex = new Map(timeline.buckets.map((one) => [Math.round(one.atMs / bucketMs), one]));
  const count = Math.round(last.atMs / bucketMs) + 1;
  const buckets = Array.from({ length: count }, (_, index) => byIndex.get(index));
  return {
    seconds: Array.from({ length: count + 1 }, (_, index) => (index * bucketMs) / 1000),
    charts: [rate(buckets, bucketMs), latency(buckets), statuses(buckets), revenue(buckets)],
  };
}

type Buckets = readonly (TimelineBucket | undefined)[];

const units: readonly (readonly [string, number])[] = [
  ["/s", 1000],
  ["/min", 60_000],
  ["/h", 3_600_000],
  ["/d", 86_400_000],
];

/** Uses the shortest unit of time in which the peak rate is at least one. */
function rate(buckets: Buckets, bucketMs: number): Chart {
  const most = Math.max(...buckets.map((bucket) => bucket?.sent ?? 0));
  const [unit, unitMs] = units.find(([, ms]) => (most * ms) / bucketMs >= 1) ?? ["/d", 86_400_000];
  const perUnit = (count: number | undefined): number => digits(((count ?? 0) * unitMs) / bucketMs);
  return {
    ...{ id: "rate", title: "Requests", unit, path: "stepped", stacked: false },
    lines: [
      stepped("sent", "--series-1", buckets, (bucket) => perUnit(bucket?.sent)),
      stepped("ok", "--series-2", buckets, (bucket) => perUnit(bucket?.ok)),
    ],
  };
}

function latency(buckets: Buckets): Chart {
  return {
    ...{ id: "latency", title: "Latency", unit: " ms", path: "stepped", stacked: false },
    lines: [
      stepped("p99", "--series-3", buckets, (bucket) => bucket?.p99 ?? null),
      stepped("p50", "--series-1", buckets, (bucket) => bucket?.p50 ?? null),
    ],
  };
}

/** Colours for the statuses of each class, used in turn. */
const colours: Readonly<Record<string, readonly string[]>> = {
  "2": ["--status-2a", "--status-2b"],
  "4": ["--status-4a", "--status-4b", "--status-4c"],
  "5": ["--status-5a", "--status-5b", "--status-5c"],
  other: ["--status-other"],
};

function statuses(buckets: Buckets): Chart {
  const all = new Set(buckets.flatMap((bucket) => Object.keys(bucket?.statuses ?? {})));
  const sorted = [...all].sort((left, right) => Number(left) - Number(right));
  const used = new Map<string, number>();
  const lines = sorted.map((status) => {
    const kind = colours[status.charAt(0)] === undefined ? "other" : status.charAt(0);
    const turn = used.get(kind) ?? 0;
    used.set(kind, turn + 1);
    const choice = colours[kind] ?? [];
    const colour = choice[turn % choice.length] ?? "--status-other";
    return stepped(status, colour, buckets, (bucket) => bucket?.statuses[status] ?? 0);
  });
  const lacksAnswers = buckets.some((bucket) => (bucket?.unanswered ?? 0) > 0);
  const none = stepped("no answer", "--status-none", buckets, (one) => one?.unanswered ?? 0);
  return {
    ...{ id: "statuses", title: "Answers by status", unit: "", path: "stepped", stacked: true },
    lines: lacksAnswers ? [...lines, none] : lines,
  };
}

function revenue(buckets: Buckets): Chart {
  let micros = 0;
  const values = buckets.map((bucket) => {
    micros += nearestMicros(bucket?.creditedInr ?? 0);
    return microsToInr(micros);
  });
  return {
    ...{ id: "revenue", title: "Revenue credited", unit: " INR", path: "line", stacked: false },
    lines: [{ label: "in all", colour: "--series-2", values: [0, ...values] }],
  };
}

function stepped(
  label: string,
  colour: string,
  buckets: Buckets,
  valueIn: (bucket: TimelineBucket | undefined) => number | null,
): ChartLine {
  const values = buckets.map(valueIn);
  return { label, colour, values: [...values, values.at(-1) ?? null] };
}

/** Rounds to four significant digits, more than a chart can show. */
function digits(value: number): number {
  return Number(value.toPrecision(4));
}
