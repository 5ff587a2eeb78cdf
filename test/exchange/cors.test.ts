/** What web pages get: preflights, and the headers that let them read answers. In process; adapters must agree (R4). */

import { describe, expect, test } from "vitest";
import { type ApiRequest, createSimulator, type SimulatorOptions } from "../../src/index.ts";

const stats = "/v1/publisher/stats";
const loopback = "http://localhost:5173";

function world(options: SimulatorOptions = {}) {
  const sim = createSimulator(options);
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const authorization = `Bearer ${apiKey}`;
  const from = (origin: string, request: Partial<ApiRequest> = {}) =>
    sim.handle({
      method: "GET",
      path: stats,
      query: { publisher_id: id },
      ...request,
      headers: { authorization, origin, ...request.headers },
    });
  const preflight = (origin: string, headers: Record<string, string> = {}, path = stats) =>
    sim.handle({
      method: "OPTIONS",
      path,
      headers: {
        origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization,content-type",
        ...headers,
      },
    });
  const impression = {
    method: "POST",
    path: "/v1/impression",
    query: undefined,
    body: { publisher_id: id, surface: surfaces[0]?.id ?? "", ad_id: "ad", session_id: "s" },
  };
  return { sim, id, authorization, from, preflight, impression };
}

/** The headers of an answer that only a page's browser uses. */
function forPages({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith("access-control-")),
  );
}

describe("origins whose pages may read answers", () => {
  test.each([
    "http://localhost",
    "http://localhost:3000",
    "https://localhost:3000",
    "http://app.localhost:8080",
    "http://127.0.0.1:1",
    "https://127.200.3.4",
    "http://[::1]:5173",
  ])("loopback origins: %s", (origin) => {
    const { from, preflight } = world();
    expect(from(origin).headers["access-control-allow-origin"]).toBe(origin);
    expect(preflight(origin).status).toBe(204);
    expect(preflight(origin).headers["access-control-allow-origin"]).toBe(origin);
  });

  test.each([
    "null",
    "",
    "https://app.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://evil-localhost",
    "http://localhost@evil.example",
    "http://evil.example/localhost",
    "http://evil.example#.localhost",
    "http://[::2]",
    "http://128.0.0.1",
    "file://localhost",
    "http://localhost, http://localhost",
  ])("no other origins: %j", (origin) => {
    const { from, preflight } = world({ cors: ["https://app.example:8443", "http://app.example"] });
    expect(forPages(from(origin))).toEqual({});
    expect(preflight(origin).status).toBe(405);
    expect(forPages(preflight(origin))).toEqual({});
  });

  test("origins on the list, and loopback too", () => {
    const { from, preflight } = world({
      cors: ["https://app.example", "chrome-extension://abcdef"],
    });
    for (const origin of ["https://app.example", "chrome-extension://abcdef", loopback]) {
      expect(from(origin).headers["access-control-allow-origin"]).toBe(origin);
      expect(preflight(origin).status).toBe(204);
    }
    expect(forPages(from("https://other.example"))).toEqual({});
  });

  test("all origins with *, even a sandboxed page", () => {
    const { from, preflight } = world({ cors: "*" });
    for (const origin of ["https://any.example", "null"]) {
      expect(from(origin).headers["access-control-allow-origin"]).toBe("*");
      expect(preflight(origin).headers["access-control-allow-origin"]).toBe("*");
    }
  });

  test.each<SimulatorOptions>([{ cors: "off" }, { assumptions: { "http.cors": "none" } }])(
    "none under %j: there is no header about origins",
    (options) => {
      const { sim, from, preflight, id, authorization } = world(options);
      expect(preflight(loopback).status).toBe(405);
      const plain = sim.handle({
        method: "GET",
        path: stats,
        query: { publisher_id: id },
        headers: { authorization },
      });
      expect(plain.status).toBe(200);
      for (const answer of [plain, from(loopback), preflight(loopback)]) {
        expect(forPages(answer)).toEqual({});
        expect(answer.headers).not.toHaveProperty("vary");
      }
    },
  );

  test("forks, resets, restored worlds and changed assumptions keep the origins", () => {
    const { sim, from } = world({ cors: "https://app.example" });
    const allowed = () => from("https://app.example").headers["access-control-allow-origin"];
    sim.restore(sim.snapshot());
    expect(allowed()).toBe("https://app.example");
    sim.reset();
    expect(allowed()).toBe("https://app.example");
    sim.assume({ "http.cors": "none" });
    expect(allowed()).toBeUndefined();
    sim.assume({ "http.cors": "any" });
    expect(allowed()).toBe("https://app.example");
    const forked = sim.fork().handle({
      method: "GET",
      path: stats,
      headers: { origin: "https://app.example" },
    });
    expect(forked.headers["access-control-allow-origin"]).toBe("https://app.example");
  });
});

describe("the option cors", () => {
  test.each([
    ["https://app.example/", "https://app.example"],
    ["https://app.example/path", "https://app.example"],
    ["https://app.example?x", "https://app.example"],
    ["https://App.Example", "https://app.example"],
    ["HTTPS://app.example", "https://app.example"],
    ["https://app.example:443", "https://app.example"],
    ["http://user@app.example", "http://app.example"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
  ])("%s is refused, and the error says what browsers send instead", (cors, meant) => {
    expect(() => createSimulator({ cors })).toThrow(
      expect.objectContaining({ field: "cors", message: expect.stringContaining(`"${meant}"`) }),
    );
  });

  test.each([
    "app.example",
    "localhost:3000",
    "//app.example",
    "",
    " ",
    "https://",
    "https://*.app.example",
    "https://app.example https://other.example",
    "https://a,https://b",
    "null",
    "file:///index.html",
    "https://key_0123456789abc.example/",
  ])("%j is refused", (cors) => {
    for (const given of [cors, [cors], ["*", cors]]) {
      expect(() => createSimulator({ cors: given })).toThrow(
        expect.objectContaining({ name: "InputError", field: "cors" }),
      );
    }
  });

  test.each([[["off", "*"]], [["https://app.example", "off"]], [[7]], [7], [null], [{}], [true]])(
    "%j is refused",
    (cors) => {
      expect(() => createSimulator({ cors: cors as never })).toThrow(
        expect.objectContaining({ name: "InputError", field: "cors" }),
      );
    },
  );
});

describe("a preflight", () => {
  test("is answered with what a page may send, and spends no quota", () => {
    const { sim, id, preflight, from } = world();
    expect(preflight(loopback)).toEqual({
      status: 204,
      headers: {
        "x-ratelimit-remaining": "60",
        date: "Thu, 15 Jan 2026 00:00:00 GMT",
        vary: "Origin",
        "access-control-allow-origin": loopback,
        "access-control-allow-methods": "GET, HEAD",
        "access-control-allow-headers": "authorization, content-type",
        "access-control-max-age": "600",
      },
      body: "",
    });
    for (let sent = 0; sent < 100; sent += 1) preflight(loopback, { authorization: "Bearer x" });
    expect(from(loopback).headers["x-ratelimit-remaining"]).toBe("59");
    expect(sim.publishers.get(id)).toBeDefined();
  });

  test.each([
    ["/v1/impression", "POST"],
    ["/v1/click", "POST"],
    ["/v1/publisher/payouts", "GET, HEAD"],
    // These paths have no operation; the page must be able to read the 404.
    ["/v1/publisher/payouts/", "GET, POST"],
    ["/v1/nothing", "GET, POST"],
  ] as const)("to %s allows %s", (path, methods) => {
    const { preflight } = world();
    const { status, headers } = preflight(loopback, {}, path);
    expect(status).toBe(204);
    expect(headers["access-control-allow-methods"]).toBe(methods);
  });

  test("allows the requested headers, and repeats nothing else", () => {
    const { preflight } = world();
    const allowed = (asked: string) =>
      preflight(loopback, { "access-control-request-headers": asked }).headers[
        "access-control-allow-headers"
      ];
    expect(allowed("")).toBe("authorization, content-type");
    expect(allowed("X-Trace, traceparent ,AUTHORIZATION")).toBe(
      "authorization, content-type, x-trace, traceparent",
    );
    expect(allowed("x\r\nset-cookie: a, b c, ü, <script>, ok")).toBe(
      "authorization, content-type, ok",
    );
    expect(
      allowed(Array.from({ length: 5000 }, (_, index) => `x-${index}`).join(","))?.length,
    ).toBeLessThan(2100);
  });

  test.each<readonly [string, Record<string, string>]>([
    ["no origin", { "access-control-request-method": "GET" }],
    ["no method", { origin: loopback }],
    ["an empty method", { origin: loopback, "access-control-request-method": "" }],
  ])("doesn't include an OPTIONS with %s: 405", (_, headers) => {
    const { sim } = world();
    const answer = sim.handle({ method: "OPTIONS", path: stats, headers });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe("GET, HEAD");
    expect(sim.journal.entries()[0]?.reason).toBe("method_not_allowed");
  });

  test("doesn't include a GET with its headers", () => {
    const { from } = world();
    expect(from(loopback, { headers: { "access-control-request-method": "GET" } }).status).toBe(
      200,
    );
  });

  test("has case-insensitive header names", () => {
    const { sim } = world();
    const headers = { Origin: loopback, "Access-Control-Request-Method": "GET" };
    expect(sim.handle({ method: "OPTIONS", path: stats, headers }).status).toBe(204);
  });

  test("is journalled as a preflight: without an operation, and not as unmatched", () => {
    const { sim, preflight, from } = world();
    preflight(loopback);
    from(loopback);
    preflight("https://evil.example");
    const [first, , refused] = sim.journal.entries();
    expect(first).toMatchObject({
      reason: "preflight",
      operation: undefined,
      publisher: undefined,
    });
    expect(first?.assumptions).toEqual(["http.cors"]);
    expect(first).not.toHaveProperty("nearest");
    expect(refused?.reason).toBe("method_not_allowed");
    const sequences = (unmatched: boolean) =>
      sim.journal.entries({ unmatched }).map(({ sequence }) => sequence);
    expect(sequences(true)).toEqual([3]);
    expect(sequences(false)).toEqual([1, 2]);
    expect(sim.journal.entries({ operation: "stats" })).toHaveLength(1);
    expect(sim.journal.entries({ status: 204 })).toHaveLength(1);
  });

  test("is counted separately in the client report, without a finding", () => {
    const { sim, preflight, from } = world({ clock: "flowing", wallClock: () => 0 });
    for (let sent = 0; sent < 50; sent += 1) preflight(loopback, {}, "/v1/nothing");
    from(loopback);
    const { operations, findings, requests } = sim.report();
    expect(operations).toEqual({ preflight: { "204": 50 }, stats: { "200": 1 } });
    expect(findings).toEqual([]);
    expect(requests).toBe(51);
    expect(sim.audit()).toEqual(expect.objectContaining({}));
  });
});

describe("an answer to a page", () => {
  const exposed = "access-control-expose-headers";

  test("exposes the headers that explain it", () => {
    const { from } = world({ explain: true });
    const { headers } = from(loopback);
    expect(headers[exposed]).toContain("X-Adsim-Assumptions, X-Adsim-Fault");
    expect(headers["x-adsim-assumptions"]).toContain("http.cors");
  });

  test("differs from other answers only in these headers: impressions, duplicates, refusals, limits", () => {
    const page = world();
    const other = world();
    const requests: Partial<ApiRequest>[] = [
      page.impression,
      page.impression,
      { ...page.impression, body: "{" },
      { headers: { authorization: "Bearer no" } },
      { path: "/v1/nothing" },
      { method: "DELETE" },
      { method: "HEAD" },
      { query: { publisher_id: page.id, from: "x" } },
      ...Array.from({ length: 61 }, () => ({})),
    ];
    const statuses = new Set<number>();
    for (const request of requests) {
      const read = page.from(loopback, request);
      const { origin: _origin, ...headers } = {
        origin: "",
        authorization: other.authorization,
        ...request.headers,
      };
      const plain = other.sim.handle({
        method: "GET",
        path: stats,
        query: { publisher_id: other.id },
        ...request,
        headers,
      });
      expect(read).toEqual({
        ...plain,
        headers: {
          ...plain.headers,
          "access-control-allow-origin": loopback,
          [exposed]: "Date, X-RateLimit-Remaining, Retry-After",
        },
      });
      expect(plain.headers.vary).toBe("Origin");
      statuses.add(read.status);
    }
    expect([...statuses].sort()).toEqual([200, 400, 401, 404, 405, 429]);
    expect(page.sim.snapshot().accounts).toEqual(other.sim.snapshot().accounts);
    const [entry] = page.sim.journal.entries({ operation: "impression", limit: 1 });
    expect(entry?.response.headers).toHaveProperty(exposed);
  });
});

describe("fault rules", () => {
  const unavailable = { kind: "respond", status: 503, headers: { "retry-after": "7" } } as const;

  test("ignore preflights: rules for all requests, functions, and counts", () => {
    const { sim, preflight, from } = world();
    const seen: string[] = [];
    sim.faults.add({ id: "second", match: { nth: 2 }, verdict: unavailable });
    sim.faults.add(({ method }) => {
      seen.push(method);
      return undefined;
    });
    sim.faults.add({ id: "all", match: { nth: [1, 3] }, verdict: { kind: "drop" } });
    for (const origin of [loopback, "https://evil.example"]) preflight(origin);
    expect(from(loopback).status).toBe(0);
    preflight(loopback);
    expect(from(loopback).status).toBe(503);
    expect(seen).toEqual(["GET"]);
    expect(sim.faults.list().map((rule) => rule.seen)).toEqual([2, 2, 2]);
  });

  test("send a page an answer that it can read", () => {
    const { sim, from } = world();
    sim.faults.add({ verdict: unavailable });
    const { headers } = from(loopback);
    expect(headers).toMatchObject({
      "retry-after": "7",
      vary: "Origin",
      "access-control-allow-origin": loopback,
      "access-control-expose-headers": "Date, X-RateLimit-Remaining, Retry-After",
    });
  });

  test("can override the headers for pages, as any header", () => {
    const { sim, from } = world();
    const own = { "Access-Control-Allow-Origin": "https://other.example" };
    sim.faults.add({ verdict: { kind: "respond", status: 500, headers: own } });
    expect(from(loopback).headers["access-control-allow-origin"]).toBe("https://other.example");
  });

  test("leave the headers of an answer that they cut or corrupt", () => {
    const { sim, from } = world();
    sim.faults.add({ verdict: { kind: "garbage", as: "body" } });
    expect(from(loopback).headers["access-control-allow-origin"]).toBe(loopback);
  });
});
