/** Writes metrics in the text format of Prometheus, with those of the process. */

import { type MetricFamily, metric } from "../spec/metrics.ts";

export function writeMetrics(families: readonly MetricFamily[]): string {
  return [...families, ...processFamilies()].map(textOf).join("");
}

function textOf({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(({ part, labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => {
      return `${label}="${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
    });
    const inBraces = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
    return `${name}${part === undefined ? "" : `_${part}`}${inBraces} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** Uses the names of Prometheus's client libraries. */
function processFamilies(): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1_000_000;
  const bytes = process.memoryUsage.rss();
  return [
    metric("gauge", "process_resident_memory_bytes", "Resident memory size in bytes.", bytes),
    metric("counter", "process_cpu_seconds_total", "Seconds of CPU time spent.", seconds),
  ];
}
