/** The metrics for Prometheus: the exact format, and figures that match what happened. */

import { describe, expect, test } from "vitest";
import { createMeter } from "../../src/exchange/meter.ts";
import { createContext } from "../../src/exchange/request-context.ts";
import type { Server } from "../../src/server.ts";
import { defaultAssumptions } from "../../src/spec/assumptions/resolve.ts";
import { describeWorld } from "../../src/world/publishers/world-settings.ts";
import { senderOf } from "../operation-sender.ts";
import { type Family, parsePrometheus } from "./prometheus-text.ts";
import { exchange, open, serve } from "./raw.ts";

async function scrape({ url }: { readonly url: string }): Promise<Map<string, Family>> {
  const response = await fetch(`${url}/_sim/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("x-ratelimit-remaining")).toBe("60");
  return parsePrometheus(await response.text());
}

/** The values of a metric by label values. */
function valuesOf(families: Map<string, Family>, name: string): Record<string, number> {
  const samples = families.get(name)?.samples ?? [];
  return Object.fromEntries(
    samples.map(({ labels, value }) => [Object.values(labels).join(" "), value]),
  );
}

function send(server: Server, path: string, prefix = ""): Promise<Response> {
  const { id, apiKey } = server.worlds.get("default").publishers.at(0);
  return fetch(`${server.url}${prefix}${path}?publisher_id=${id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
}

describe("a scrape", () => {
  test("of an unused server has every metric, and counts no request and no fault", async () => {
    await using server = await serve();
    const families = await scrape(server);
    expect([...families].map(([name, { type }]) => `${type} ${name}`)).toEqual([
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
      "gauge nodejs_heap_size_total_bytes",
      "gauge nodejs_heap_size_used_bytes",
      "gauge nodejs_external_memory_bytes",
      "counter process_cpu_seconds_total",
      "gauge process_start_time_seconds",
    ]);
    expect(valuesOf(families, "adsim_requests_total")).toEqual({});
    expect(valuesOf(families, "adsim_rate_limit_refusals_total")).toEqual({
      recording: 0,
      reporting: 0,
    });
    expect(valuesOf(families, "adsim_worlds")).toEqual({ "": 1 });
    const faults = valuesOf(families, "adsim_faults_fired_total");
    expect(Object.keys(faults)).toHaveLength(13);
    expect(Object.values(faults).every((value) => value === 0)).toBe(true);
    for (const name of ["process_resident_memory_bytes", "nodejs_heap_size_used_bytes"]) {
      expect(valuesOf(families, name)[""]).toBeGreaterThan(1_000_000);
    }
  });

  test("counts requests of all worlds by operation and status, each with its duration", async () => {
    await using server = await serve();
    await send(server, "/v1/publisher/stats");
    await send(server, "/v1/publisher/stats", "/@a");
    await send(server, "/v1/publisher/surfaces", "/@b");
    await send(server, "/v1/nothing");
    await fetch(`${server.url}/v1/publisher/payouts`);
    await fetch(`${server.url}/v1/publisher/payouts`, { method: "PUT" });
    // Neither control requests nor malformed ones are counted.
    await fetch(`${server.url}/_sim/health`);
    await exchange(server.port, "GET / HTTP/1.1\r\n\r\n");
    const families = await scrape(server);
    expect(valuesOf(families, "adsim_requests_total")).toEqual({
      "stats 200": 2,
      "surfaces 200": 1,
      "payouts 401": 1,
      "none 404": 1,
      "none 405": 1,
    });
    const durations = families.get("adsim_request_duration_seconds")?.samples ?? [];
    expect(durations.at(-1)).toMatchObject({ value: 6 });
    expect(durations.at(-2)?.value).toBeGreaterThan(0);
    expect(valuesOf(families, "adsim_worlds")).toEqual({ "": 3 });
    expect(valuesOf(families, "adsim_journal_entries")).toEqual({ "": 6 });
    // Requests to a deleted world stay counted: a counter never falls.
    server.worlds.delete("a");
    const later = await scrape(server);
    expect(valuesOf(later, "adsim_requests_total")).toMatchObject({ "stats 200": 2 });
    expect(valuesOf(later, "adsim_worlds")).toEqual({ "": 2 });
  });

  test("counts the limiter's 429 and a rule's separately, and the effects of rules", async () => {
    await using server = await serve();
    const world = server.worlds.get("default");
    const { stats, surfaces, payouts, impression } = senderOf(world);
    for (let sent = 0; sent < 62; sent += 1) stats();
    world.faults.add({
      match: { operation: "surfaces" },
      verdict: { kind: "respond", status: 429 },
    });
    expect(surfaces().status).toBe(429);
    world.faults.clear();
    // A refusal that the client never sees is still a refusal.
    world.faults.add({ verdict: { kind: "lose-response" } });
    expect(payouts().status).toBe(0);
    world.faults.clear();
    world.faults.add({ verdict: { kind: "duplicate" } });
    impression();
    const families = await scrape(server);
    expect(valuesOf(families, "adsim_rate_limit_refusals_total")).toEqual({
      recording: 0,
      reporting: 3,
    });
    expect(valuesOf(families, "adsim_faults_fired_total")).toMatchObject({
      respond: 1,
      "lose-response": 1,
      duplicate: 1,
      drop: 0,
    });
    expect(valuesOf(families, "adsim_requests_total")).toEqual({
      "stats 200": 60,
      "stats 429": 2,
      "surfaces 429": 1,
      "payouts none": 1,
      // The client sent it once.
      "impression 200": 1,
    });
    expect(valuesOf(families, "adsim_impressions_held")[""]).toBe(world.usage().impressions);
    expect(valuesOf(families, "adsim_journal_entries")).toEqual({ "": 66 });
  });

  test("is refused under the same rules as any other control request", async () => {
    await using server = await serve({ controlToken: "s3cret" });
    expect((await fetch(`${server.url}/_sim/metrics`)).status).toBe(401);
    const headers = { authorization: "Bearer s3cret" };
    expect((await fetch(`${server.url}/_sim/metrics`, { headers })).status).toBe(200);
    const wrong = await fetch(`${server.url}/_sim/metrics?format=json`, { headers });
    expect([wrong.status, (await wrong.json()).field]).toEqual([400, "format"]);
    const posted = await fetch(`${server.url}/_sim/metrics`, { method: "POST", headers });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("has no body for HEAD, and is answered in order in a pipeline", async () => {
    await using server = await serve();
    const head = await fetch(`${server.url}/@new/_sim/metrics`, { method: "HEAD" });
    expect(head.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await head.text()).toBe("");
    expect(server.worlds.names()).toEqual(["default"]);
    const one = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const { responses } = await exchange(
      server.port,
      one("/_sim/metrics") + one("/_sim/health") + one("/_sim/metrics") + one("/v1/click"),
      { count: 4 },
    );
    expect(responses.map(({ status, headers }) => [status, headers["content-type"]])).toEqual([
      [200, "text/plain; version=0.0.4; charset=utf-8"],
      [200, "application/json"],
      [200, "text/plain; version=0.0.4; charset=utf-8"],
      [405, expect.stringMatching(/^application\//)],
    ]);
  });

  test("whose client leaves does no harm", async () => {
    await using server = await serve();
    for (let sent = 0; sent < 5; sent += 1) {
      const socket = await open(server.port);
      socket.write("GET /_sim/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
      socket.resetAndDestroy();
    }
    expect((await scrape(server)).size).toBeGreaterThan(10);
  });

  test("is at one path only: a rule answers another path that ends the same", async () => {
    await using server = await serve();
    const verdict = { kind: "respond", status: 200, body: "mine" } as const;
    server.worlds.get("default").faults.add({ verdict });
    const response = await fetch(`${server.url}/v1/_sim/metrics`);
    expect(await response.text()).toBe("mine");
  });
});

test("the metrics count a play's requests, but not those that its invariants send to copies", async () => {
  await using server = await serve();
  const scenario = { name: "one", about: "One impression.", steps: [{ impression: {} }] };
  const response = await fetch(`${server.url}/_sim/scenarios/play`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenario }),
  });
  expect(await response.json()).toMatchObject({ result: "passed" });
  const [requests] = server.worlds.metrics();
  expect(requests?.samples).toEqual([
    { labels: { operation: "impression", status: "200" }, value: 1 },
  ]);
});

test("the metrics count the requests of a forked world", async () => {
  await using server = await serve();
  server.worlds.fork("other", "default");
  await send(server, "/v1/publisher/stats", "/@other");
  const [requests] = server.worlds.metrics();
  expect(requests?.samples).toEqual([{ labels: { operation: "stats", status: "200" }, value: 1 }]);
});

test("in process the metrics are available as data", async () => {
  await using server = await serve();
  await send(server, "/v1/publisher/stats");
  const [requests] = server.worlds.metrics();
  expect(requests).toMatchObject({
    name: "adsim_requests_total",
    type: "counter",
    samples: [{ labels: { operation: "stats", status: "200" }, value: 1 }],
  });
});

test("a duration equal to a bound is in its bucket, and one beyond the last bound only in +Inf", () => {
  const meter = createMeter(() => 0);
  const nobody = { operation: undefined, sender: undefined };
  const request = { method: "GET", path: "/", query: "", headers: {}, body: "" };
  const settings = { seed: "", startMs: 0, publishers: 1, profile: "tiny" } as const;
  const about = describeWorld({ ...settings, assumptions: defaultAssumptions });
  for (const tookMs of [0, 0.005, 0.0050001, 1, 1000, 1001]) {
    meter.count(createContext(request, nobody, 0, about), 200, tookMs);
  }
  const samples = meter.families().find(({ type }) => type === "histogram")?.samples ?? [];
  const below = (le: string): number | undefined =>
    samples.find(({ labels }) => labels.le === le)?.value;
  expect([below("0.000005"), below("0.00001"), below("0.001"), below("1"), below("+Inf")]).toEqual([
    2, 3, 4, 5, 6,
  ]);
});
