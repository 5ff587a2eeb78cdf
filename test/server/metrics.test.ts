/** The metrics for Prometheus: the exact format, and figures that match what happened. */

import { expect, test } from "vitest";
import { writeMetrics } from "../../src/adapters/write-metrics.ts";
import { senderOf } from "../operation-sender.ts";
import { exchange, serve } from "./raw.ts";

async function scrape({ url }: { readonly url: string }): Promise<string> {
  const response = await fetch(`${url}/_sim/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return await response.text();
}

/** The values of a metric by label values. */
function valuesOf(text: string, name: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => new RegExp(`^${name}[{ ]`).test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const labels = Array.from(line.matchAll(/"([^"]*)"/g), ([, value]) => value);
      return [labels.join(" "), Number(line.split(" ").at(-1))];
    }),
  );
}

test("the text has a HELP and a TYPE for each metric, a line for each value, and escaped labels", () => {
  const samples = [{ labels: { name: 'a"b\\c\nd', other: "ü" }, value: 1.5 }];
  const buckets = [
    { part: "bucket", labels: { le: "+Inf" }, value: 2 },
    { part: "sum", labels: {}, value: 1e-7 },
    { part: "count", labels: {}, value: 2 },
  ] as const;
  const text = writeMetrics([
    { name: "one_total", help: "One.", type: "counter", samples },
    { name: "took", help: "How long.", type: "histogram", samples: buckets },
  ]);
  const expected = [
    "# HELP one_total One.",
    "# TYPE one_total counter",
    'one_total{name="a\\"b\\\\c\\nd",other="ü"} 1.5',
    "# HELP took How long.",
    "# TYPE took histogram",
    'took_bucket{le="+Inf"} 2',
    "took_sum 1e-7",
    "took_count 2",
    "# HELP process_resident_memory_bytes Resident memory size in bytes.",
  ];
  expect(text.split("\n").slice(0, expected.length)).toEqual(expected);
  expect(text.endsWith("\n")).toBe(true);
});

test("an unused server has every metric, and counts no request and no fault", async () => {
  await using server = await serve();
  const text = await scrape(server);
  expect(
    Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name, type]) => `${type} ${name}`),
  ).toEqual([
    "counter adsim_requests_total",
    "histogram adsim_request_duration_seconds",
    "counter adsim_rate_limit_refusals_total",
    "counter adsim_faults_fired_total",
    "gauge adsim_worlds",
    "gauge adsim_worlds_limit",
    "counter adsim_worlds_dropped_total",
    "gauge adsim_impressions_held",
    "gauge adsim_journal_entries",
    "gauge adsim_journal_bytes",
    "gauge adsim_journal_bytes_limit",
    "gauge process_resident_memory_bytes",
    "counter process_cpu_seconds_total",
  ]);
  expect(valuesOf(text, "adsim_requests_total")).toEqual({});
  expect(valuesOf(text, "adsim_rate_limit_refusals_total")).toEqual({ recording: 0, reporting: 0 });
  expect(valuesOf(text, "adsim_worlds")).toEqual({ "": 1 });
  const faults = Object.values(valuesOf(text, "adsim_faults_fired_total"));
  expect(faults).toEqual(Array.from({ length: 13 }, () => 0));
  expect(valuesOf(text, "process_resident_memory_bytes")[""]).toBeGreaterThan(1_000_000);
});

test("requests of all worlds are counted by operation and status, each with its duration", async () => {
  await using server = await serve();
  const { id, apiKey } = server.worlds.get("default").publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const send = (path: string) => fetch(`${server.url}${path}?publisher_id=${id}`, { headers });
  for (const path of ["/v1/publisher/stats", "/@a/v1/publisher/stats", "/@b/v1/publisher/surfaces"])
    await send(path);
  await send("/v1/nothing");
  await fetch(`${server.url}/v1/publisher/payouts`);
  await fetch(`${server.url}/v1/publisher/payouts`, { method: "PUT" });
  const preflight = "Origin: http://localhost:5173\r\nAccess-Control-Request-Method: GET\r\n";
  await exchange(
    server.port,
    `OPTIONS /v1/publisher/stats HTTP/1.1\r\nHost: localhost\r\n${preflight}\r\n`,
    { method: "OPTIONS" },
  );
  // Neither control requests nor malformed ones are counted.
  await fetch(`${server.url}/_sim/health`);
  await exchange(server.port, "nonsense\r\n\r\n");
  const text = await scrape(server);
  expect(valuesOf(text, "adsim_requests_total")).toEqual({
    "stats 200": 2,
    "surfaces 200": 1,
    "payouts 401": 1,
    "none 404": 1,
    "none 405": 1,
    "preflight 204": 1,
  });
  expect(valuesOf(text, "adsim_request_duration_seconds_count")).toEqual({ "": 7 });
  expect(valuesOf(text, "adsim_request_duration_seconds_sum")[""]).toBeGreaterThan(0);
  expect(valuesOf(text, "adsim_worlds")).toEqual({ "": 3 });
  expect(valuesOf(text, "adsim_journal_entries")).toEqual({ "": 7 });
  // Requests to a deleted world stay counted: a counter never falls. A fork's are counted, too.
  server.worlds.delete("a");
  server.worlds.fork("c", "default");
  await send("/@c/v1/publisher/stats");
  const later = await scrape(server);
  expect(valuesOf(later, "adsim_requests_total")).toMatchObject({ "stats 200": 3 });
  expect(valuesOf(later, "adsim_worlds")).toEqual({ "": 3 });
});

test("the limiter's 429 and a rule's are counted separately, and the effects of rules", async () => {
  await using server = await serve();
  const world = server.worlds.get("default");
  const { stats, surfaces, payouts, impression } = senderOf(world);
  for (let sent = 0; sent < 62; sent += 1) stats();
  world.faults.add({ match: { operation: "surfaces" }, verdict: { kind: "respond", status: 429 } });
  expect(surfaces().status).toBe(429);
  world.faults.clear();
  // A refusal that the client never sees is still a refusal.
  world.faults.add({ verdict: { kind: "lose-response" } });
  expect(payouts().status).toBe(0);
  world.faults.clear();
  world.faults.add({ verdict: { kind: "duplicate" } });
  impression();
  const text = await scrape(server);
  expect(valuesOf(text, "adsim_rate_limit_refusals_total")).toEqual({ recording: 0, reporting: 3 });
  const fired = { respond: 1, "lose-response": 1, duplicate: 1, drop: 0 };
  expect(valuesOf(text, "adsim_faults_fired_total")).toMatchObject(fired);
  expect(valuesOf(text, "adsim_requests_total")).toEqual({
    "stats 200": 60,
    "stats 429": 2,
    "surfaces 429": 1,
    "payouts none": 1,
    // The client sent it once.
    "impression 200": 1,
  });
});
