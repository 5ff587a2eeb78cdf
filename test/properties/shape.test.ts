/** Whatever comes in (H2, H3, H4, L7): no throw, no 5xx, no effect where it is refused, no key in an answer. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ApiRequest, createSimulator, type Simulator } from "../../src/index.ts";
import { checkProperty } from "./check-property.ts";
import { stateOf } from "./invariants.ts";
import { createMarks } from "./marks.ts";

const file = "test/properties/shape.test.ts";
const paths = [
  "/v1/publisher/stats",
  "/v1/publisher/surfaces",
  "/v1/publisher/payouts",
  "/v1/impression",
  "/v1/click",
];
const names = [
  "publisher_id",
  "surface",
  "ad_id",
  "session_id",
  "impression_id",
  "from",
  "to",
  "limit",
];

const sim = createSimulator({ seed: "shape", publishers: 4 });
const own = sim.publishers.at(0);
const other = sim.publishers.at(1);
const recorded = record(sim);

function record(of: Simulator): string {
  const body = { publisher_id: own.id, surface: own.surfaces[0]?.id, ad_id: "ad", session_id: "s" };
  const headers = { authorization: `Bearer ${own.apiKey}` };
  return JSON.parse(of.handle({ method: "POST", path: "/v1/impression", headers, body }).body)
    .impression_id;
}

const garbage = [
  "",
  " ",
  "\0",
  "%",
  "%zz",
  "%00",
  "%ff%fe",
  "+",
  "\ud800",
  "__proto__",
  "constructor",
  "toString",
  "[]",
  "{}",
  "null",
  "true",
  "-1",
  "1e400",
  "0x10",
  "９",
  "2026-02-29",
  "2026-01-01",
  "9999-12-31",
  "0000-01-01",
  "🌱",
  "ａ".repeat(9000),
];
const value = fc.oneof(
  fc.constantFrom(own.id, other.id, own.surfaces[0]?.id ?? "", recorded, own.apiKey),
  fc.constantFrom(...garbage),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "", "\0", "Publisher_Id") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const pairs = fc.array(fc.tuple(name, value), { maxLength: 6 });
const plainPairs = pairs.map((list) => list.map((pair) => pair.join("=")).join("&"));
const encodedPairs = pairs.map((list) =>
  list.map((pair) => pair.map((one) => encodeURIComponent(one.toWellFormed())).join("=")).join("&"),
);
const jsonObject = pairs.map(
  (list) => `{${list.map((pair) => pair.map((one) => JSON.stringify(one)).join(":")).join(",")}}`,
);
const bytes = fc.uint8Array({ maxLength: 60 });
const cut = fc
  .tuple(jsonObject, fc.nat(200))
  .map(([text, length]) => new TextEncoder().encode(text).subarray(0, length));

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("GET", "POST") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "HEAD",
      "PUT",
      "DELETE",
      "OPTIONS",
      "PATCH",
      "get",
      "",
      "constructor",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...paths) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "/",
      "//v1/publisher/stats",
      "/v1/%2e%2e/x",
      "/v1/publisher/stats/",
      "/v1/publisher/stats?publisher_id=x",
      "/v1/impression?%",
      "*",
      "__proto__",
      "/v1/click%00",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constant(`Bearer ${own.apiKey}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "Bearer",
      "Bearer ",
      `bearer   ${own.apiKey}  `,
      own.apiKey,
      `Bearer ${own.apiKey}, Bearer ${other.apiKey}`,
      `Bearer ${own.apiKey.slice(0, -1)}`,
      "Basic eDp5",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const contentType = fc.constantFrom(
  undefined,
  "application/json",
  "application/json; charset=utf-8",
  "application/json; charset=latin1",
  "application/x-www-form-urlencoded",
  "text/plain",
  "",
  ";",
  "multipart/form-data; boundary=x",
);
const request: fc.Arbitrary<ApiRequest> = fc
  .record({
    method,
    path,
    query: fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      encodedPairs,
      plainPairs,
      fc.string({ unit: "binary", maxLength: 40 }),
      pairs.map((list) => Object.fromEntries(list)),
      fc.constant(`x=${"y".repeat(9000)}`),
    ),
    body: fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: jsonObject },
      encodedPairs,
      plainPairs,
      bytes,
      cut,
      fc.json({ maxDepth: 3 }),
      fc.constantFrom(
        "[".repeat(60_000),
        "x".repeat(65_537),
        '{"a":1',
        "\ufeff{}",
        '{"__proto__":1}',
      ),
      pairs.map((list) => Object.fromEntries(list)),
    ),
    authorization,
    contentType,
  })
  .map(({ authorization: sent, contentType: type, ...rest }) => ({
    ...rest,
    headers: { Authorization: sent, ...(type === undefined ? {} : { "content-type": type }) },
  }));

describe("whatever comes in", () => {
  const unharmed = "H2, L7: any request gets a scripted answer, and a refused one changes nothing";
  test(unharmed, { timeout: 60_000 }, () => {
    const marks = createMarks();
    checkProperty(
      { test: unharmed, file, runs: 4000 },
      fc.property(request, (sent) => {
        const before = stateOf(sim);
        const response = sim.handle(sent);
        marks.sometimes(String(response.status));
        expect(response.status).toBeLessThan(500);
        expect(response.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
        if (sent.method !== "HEAD") {
          const length = new TextEncoder().encode(response.body).length;
          expect(response.headers["content-length"]).toBe(String(length));
        }
        if (response.status !== 200) expect(stateOf(sim)).toBe(before);
        if (response.status !== 200 && sent.method !== "HEAD") {
          expect(JSON.parse(response.body)).toMatchObject({ status: response.status });
        }
        sim.clock.advance("1m");
      }),
    );
    marks.report(["200", "400", "401", "403", "404", "405", "413", "414", "415"]);
  });

  const silent = "H3: the caller's key is nowhere in an answer, wherever it was sent";
  test(silent, { timeout: 60_000 }, () => {
    const places = [
      (key: string) => ({ query: `${key}=1&${key}=2` }),
      (key: string) => ({ query: `publisher_id=${key}` }),
      (key: string) => ({ query: { from: key, publisher_id: own.id } }),
      (key: string) => ({ query: `publisher_id=${own.id}&limit=${key}&surface=${key}` }),
      (key: string) => ({ body: `{"${key}":1,"${key}":2}` }),
      (key: string) => ({
        body: { impression_id: key, publisher_id: key, surface: key, ad_id: key },
      }),
      (key: string) => ({ body: key }),
      (key: string) => ({ headers: { authorization: key } }),
      (key: string) => ({ headers: { authorization: `Bearer ${key}x` } }),
      (key: string) => ({ headers: { authorization: `Bearer ${key}`, "content-type": key } }),
      (key: string) => ({ method: key }),
      (key: string) => ({ path: `/${key}` }),
      (key: string) => ({ path: `/v1/publisher/stats?${key}` }),
    ];
    const keys = createSimulator({ publishers: 1000 }).publishers.credentials(1000);
    const big = createSimulator({
      publishers: 1000,
      assumptions: { "request.unknown-fields": "reject" },
    });
    const lenient = createSimulator({ publishers: 1000 });
    for (const [index, { apiKey }] of keys.entries()) {
      for (const place of places) {
        const sent = {
          method: index % 2 === 0 ? "GET" : "POST",
          path: paths[index % paths.length] ?? "/",
          headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
          ...place(apiKey),
        };
        for (const world of [big, lenient]) {
          const answer = JSON.stringify(world.handle(sent)).toLowerCase();
          if (answer.includes(apiKey)) expect.fail(`${JSON.stringify(sent)} got ${answer}`);
        }
      }
    }
  });
});

describe("methods", () => {
  const gets = paths.slice(0, 3);

  test.each(gets)("H4: HEAD %s has the status and headers of GET, and no body", (at) => {
    const queries = [
      `publisher_id=${own.id}`,
      "",
      `publisher_id=${own.id}&from=2026-02-29`,
      `publisher_id=${other.id}`,
    ];
    for (const query of queries) {
      for (const authorization of [`Bearer ${own.apiKey}`, "Bearer nobody"]) {
        const headers = { authorization };
        const got = sim.fork().handle({ method: "GET", path: at, query, headers });
        const head = sim.fork().handle({ method: "HEAD", path: at, query, headers });
        expect(got.body).not.toBe("");
        expect(head).toEqual({ ...got, body: "" });
      }
    }
  });

  test.each([
    ...gets.map(
      (at) => [at, "GET, HEAD", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"]] as const,
    ),
    ...paths
      .slice(3)
      .map((at) => [at, "POST", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"]] as const),
  ])("H4: a wrong method on %s gets 405 with Allow: %s", (at, allow, wrong) => {
    for (const method of wrong) {
      const response = sim.handle({
        method,
        path: at,
        headers: { authorization: `Bearer ${own.apiKey}` },
      });
      expect([response.status, response.headers.allow]).toEqual([405, allow]);
      expect(response.body === "").toBe(method === "HEAD");
    }
  });

  test("no other answer has an Allow header", () => {
    expect(sim.handle({ method: "GET", path: "/nowhere" }).headers).not.toHaveProperty("allow");
    expect(sim.handle({ method: "GET", path: "/v1/publisher/stats" }).headers).not.toHaveProperty(
      "allow",
    );
  });
});
