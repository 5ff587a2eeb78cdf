/** Writes the metrics in the format of Prometheus, with those of the process. Loaded by the first scrape. */

import { AggregatorRegistry, prometheusContentType } from "prom-client";
import type { MetricsWriter } from "../../control/route.ts";
import { type MetricFamily, metric } from "../../spec/metrics.ts";

export const writeMetrics: MetricsWriter = async (families) => {
  // The library's form of metrics from another process.
  const counted = [...families, ...processFamilies()].map(({ name, help, type, samples }) => ({
    name,
    help,
    type,
    aggregator: "sum",
    values: samples.map(({ part, labels, value }) => ({
      labels,
      value,
      ...(part === undefined ? {} : { metricName: `${name}_${part}` }),
    })),
  }));
  const text = await AggregatorRegistry.aggregate([counted]).metrics();
  return { contentType: prometheusContentType, text };
};

/** Uses the names of Prometheus's client libraries. */
function processFamilies(): MetricFamily[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const startedS = Math.round(performance.timeOrigin / 1000);
  const cpuS = (user + system) / 1_000_000;
  const rows: readonly Parameters<typeof metric>[] = [
    ["gauge", "process_resident_memory_bytes", "Resident memory size in bytes.", rss],
    ["gauge", "nodejs_heap_size_total_bytes", "Size of the JavaScript heap.", heapTotal],
    ["gauge", "nodejs_heap_size_used_bytes", "Used part of the JavaScript heap.", heapUsed],
    ["gauge", "nodejs_external_memory_bytes", "Memory of objects outside the heap.", external],
    [
      "counter",
      "process_cpu_seconds_total",
      "Total user and system CPU time spent in seconds.",
      cpuS,
    ],
    [
      "gauge",
      "process_start_time_seconds",
      "Start time of the process since unix epoch in seconds.",
      startedS,
    ],
  ];
  return rows.map((row) => metric(...row));
}
