/** What a server can be measured by, as data in the terms of Prometheus. How it is written is an adapter's matter. */

/** A metric with its values, one for each set of labels. */
export interface MetricFamily {
  readonly name: string;
  /** What it tells, in a sentence. */
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly MetricSample[];
}

/** `part`: what of a histogram it is. The buckets are cumulative, and the last one's `le` is `+Inf`. */
export interface MetricSample {
  readonly part?: "bucket" | "sum" | "count" | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with one value. */
export function metric(
  type: "counter" | "gauge",
  name: string,
  help: string,
  value: number,
): MetricFamily {
  return { name, help, type, samples: [{ labels: {}, value }] };
}
