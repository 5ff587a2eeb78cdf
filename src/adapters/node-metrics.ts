/** The metrics as Prometheus reads them. The library that writes them loads at the first scrape: starting doesn't wait for it. */

import type { ApiResponse } from "../contract/messages.ts";
import type { MetricFamily } from "../contract/metrics.ts";
import { problemResponse, textResponse } from "../control/problem.ts";
import { withoutBody } from "../exchange/respond.ts";

/** What the path of a scrape ends with. */
export const METRICS_PATH = "/_sim/metrics";

/** The text of a scrape: `families`, and what the process uses. Never rejects. */
export async function metricsResponse(
  method: string | undefined,
  families: readonly MetricFamily[],
): Promise<ApiResponse> {
  try {
    const { AggregatorRegistry, prometheusContentType } = await import("prom-client");
    // The library's own form of metrics that another process has counted.
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
    const body = await AggregatorRegistry.aggregate([counted]).metrics();
    const response = textResponse({ status: 200, contentType: prometheusContentType, body });
    return method === "HEAD" ? withoutBody(response) : response;
  } catch (error) {
    process.stderr.write(`adsim: a bug. ${error instanceof Error ? error.stack : error}\n`);
    return problemResponse({
      kind: "bug",
      detail: "The metrics can't be written. Standard error says why; please report it.",
    });
  }
}

/** Under the names that Prometheus's client libraries have for them. */
function processFamilies(): MetricFamily[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const one = (
    type: "counter" | "gauge",
    name: string,
    help: string,
    value: number,
  ): MetricFamily => ({ name, help, type, samples: [{ labels: {}, value }] });
  return [
    one("gauge", "process_resident_memory_bytes", "Resident memory size in bytes.", rss),
    one("gauge", "nodejs_heap_size_total_bytes", "Size of the JavaScript heap.", heapTotal),
    one("gauge", "nodejs_heap_size_used_bytes", "What of the JavaScript heap is used.", heapUsed),
    one("gauge", "nodejs_external_memory_bytes", "Memory of objects outside the heap.", external),
    one(
      "counter",
      "process_cpu_seconds_total",
      "Total user and system CPU time spent in seconds.",
      (user + system) / 1_000_000,
    ),
    one(
      "gauge",
      "process_start_time_seconds",
      "Start time of the process since unix epoch in seconds.",
      Math.round(performance.timeOrigin / 1000),
    ),
  ];
}
