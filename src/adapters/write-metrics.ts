/** Writes metrics in the text format of Prometheus, with those of the process. */

import { type MetricFamily, metric } from "../spec/metrics.ts";

export function writeMetrics(families: readonly MetricFamily[]): string {
  return [...families, ...processFamilies()].map(textOf).join("");
}

function textOf({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(({ part, labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    const inBraces = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
    return `${name}${part === undefined ? "" : `_${part}`}${inBraces} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** The text of a label's value. */
function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
}

/** Uses the names of Prometheus's client libraries. */
function processFamilies(): MetricFamily[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const gauge = (name: string, help: string, value: number): MetricFamily =>
    metric("gauge", name, help, value);
  return [
    gauge("process_resident_memory_bytes", "Resident memory size in bytes.", rss),
    gauge("nodejs_heap_size_total_bytes", "Size of the JavaScript heap.", heapTotal),
    gauge("nodejs_heap_size_used_bytes", "Used part of the JavaScript heap.", heapUsed),
    gauge("nodejs_external_memory_bytes", "Memory of objects outside the heap.", external),
    metric(
      "counter",
      "process_cpu_seconds_total",
      "Total user and system CPU time spent in seconds.",
      (user + system) / 1_000_000,
    ),
    gauge(
      "process_start_time_seconds",
      "Start time of the process since unix epoch in seconds.",
      Math.round(performance.timeOrigin / 1000),
    ),
  ];
}
