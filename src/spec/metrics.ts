/** A server's metrics as data, in the terms of Prometheus. An adapter writes them as text. */

/** A metric with its values, one for each set of labels. */
export interface MetricFamily {
  readonly name: string;
  /** What it measures, in a sentence. */
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly MetricSample[];
}

/** `part` is set for histograms. Buckets are cumulative, and the `le` of the last one is `+Inf`. */
export interface MetricSample {
  readonly part?: "bucket" | "sum" | "count" | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with a single value. */
export function metric(
  type: "counter" | "gauge",
  name: string,
  help: string,
  value: number,
): MetricFamily {
  return { name, help, type, samples: [{ labels: {}, value }] };
}
