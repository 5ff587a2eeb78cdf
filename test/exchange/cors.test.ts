/** What web pages get: preflights, and the headers that let them read answers. In process; adapters must agree (R4). */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { stageOf } from "./stage.ts";

const stats = "/v1/publisher/stats";
const loopback = "http://localhost:5173";
const app = "https://app.example";
const origin = "access-control-allow-origin";
const asking = "access-control-request-headers";

function world(options: SimulatorOptions = {}) {
  const stage = stageOf(options.assumptions, options);
  const { sim, publisher } = stage;
  const query = { publisher_id: publisher.id };
  const from = (page: string, request: Partial<ApiRequest> = {}): ApiResponse => {
    const sent = { method: "GET", path: stats, query, ...request };
    const authorization = `Bearer ${publisher.apiKey}`;
    return sim.handle({ ...sent, headers: { authorization, origin: page, ...request.headers } });
  };
  const preflight = (
    page: string,
    headers: Readonly<Record<string, string>> = {},
    path = stats,
  ): ApiResponse => {
    const asked = { "access-control-request-method": "GET", [asking]: "authorization" };
    return sim.handle({ method: "OPTIONS", path, headers: { origin: page, ...asked, ...headers } });
  };
  return { ...stage, from, preflight };
}

/** The headers of an answer that only a page's browser uses. */
function forPages({ headers }: ApiResponse): string[] {
  return Object.keys(headers).filter((name) => name.startsWith("access-control-"));
}

describe("origins whose pages may read answers", () => {
  test.each<[SimulatorOptions["cors"], page: string, granted?: string]>([
    [[], "http://localhost", "http://localhost"],
    [[], "https://localhost:3000", "https://localhost:3000"],
    [[], "http://app.localhost:8080", "http://app.localhost:8080"],
    [[], "https://127.200.3.4", "https://127.200.3.4"],
    [[], "http://[::1]:5173", "http://[::1]:5173"],
    [app, app, app],
    [app, loopback, loopback],
    [[app, "chrome-extension://abcdef"], "chrome-extension://abcdef", "chrome-extension://abcdef"],
    ["*", "https://any.example", "*"],
    ["*", "null", "*"],
    ["off", loopback],
    [app, "https://other.example"],
    [app, "http://app.example"],
    [app, "https://app.example:8443"],
    [app, "null"],
    [app, ""],
    [app, "http://localhost.evil.example"],
    [app, "http://127.0.0.1.evil.example"],
    [app, "http://evil-localhost"],
    [app, "http://localhost@evil.example"],
    [app, "http://evil.example/localhost"],
    [app, "http://evil.example#.localhost"],
    [app, "http://[::2]"],
    [app, "http://128.0.0.1"],
    [app, "file://localhost"],
    [app, "http://localhost, http://localhost"],
  ])("with the option %j, %s gets %s", (cors = [], page, granted) => {
    const { from, preflight } = world({ cors });
    expect(from(page).headers[origin]).toBe(granted);
    expect(preflight(page).headers[origin]).toBe(granted);
    expect(preflight(page).status).toBe(granted === undefined ? 405 : 204);
    if (granted === undefined) expect(forPages(from(page))).toEqual([]);
    expect("vary" in from(page).headers).toBe(cors !== "off");
  });

  test("forks, resets, restored worlds and changed assumptions keep the option", () => {
    const { sim, from } = world({ cors: app });
    const isAllowed = (): boolean => from(app).headers[origin] === app;
    sim.restore(sim.snapshot());
    expect(isAllowed()).toBe(true);
    sim.reset();
    expect(isAllowed()).toBe(true);
    sim.assume({ "http.cors": "none" });
    expect(isAllowed()).toBe(false);
    sim.assume({ "http.cors": "any" });
    expect(isAllowed()).toBe(true);
    const forked = sim.fork().handle({ method: "GET", path: stats, headers: { origin: app } });
    expect(forked.headers[origin]).toBe(app);
  });

  test("under http.cors=none there is no header about origins at all", () => {
    const { from, preflight } = world({ assumptions: { "http.cors": "none" } });
    expect(preflight(loopback).status).toBe(405);
    for (const answer of [from(loopback), preflight(loopback)]) {
      expect(forPages(answer)).toEqual([]);
      expect(answer.headers).not.toHaveProperty("vary");
    }
  });
});

describe("the option cors", () => {
  test.each([
    ["https://app.example/", app],
    ["https://app.example?x", app],
    ["HTTPS://App.Example", app],
    ["https://app.example:443", app],
    ["http://user@app.example", "http://app.example"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
  ])("refuses %s, and says what browsers send instead", (cors, meant) => {
    expect(() => createSimulator({ cors })).toThrow(
      expect.objectContaining({ field: "cors", message: expect.stringContaining(`"${meant}"`) }),
    );
  });

  test.each([
    ...["app.example", "localhost:3000", "//app.example", "", " ", "https://", "null"],
    ...["https://*.app.example", "https://a https://b", "https://a,https://b"],
    ...["file:///index.html", "https://key_0123456789abc.example/"],
    ...[["off", "*"], [app, "off"], ["*", "null"], [7], 7, null, {}, true],
  ])("refuses %j", (cors) => {
    expect(() => createSimulator({ cors: cors as never })).toThrow(
      expect.objectContaining({ name: "InputError", field: "cors" }),
    );
  });
});

describe("a preflight", () => {
  test("is answered with what a page may send, and spends no quota", () => {
    const { preflight, from } = world();
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
  });

  test.each([
    ["/v1/impression", "POST"],
    ["/v1/publisher/payouts", "GET, HEAD"],
    // These paths have no operation; the page must be able to read the 404.
    ["/v1/publisher/payouts/", "GET, POST"],
    ["/v1/nothing", "GET, POST"],
  ])("to %s allows %s", (path, methods) => {
    const { status, headers } = world().preflight(loopback, {}, path);
    expect([status, headers["access-control-allow-methods"]]).toEqual([204, methods]);
  });

  test.each([
    ["", ""],
    ["X-Trace, traceparent ,AUTHORIZATION", ", x-trace, traceparent"],
    ["x\r\nset-cookie: a, b c, ü, <script>, ok", ", ok"],
    ["x".repeat(1024).concat(", too-late"), `, ${"x".repeat(1024)}`],
  ])("that asks for the headers %j gets those that are names", (asked, more) => {
    const { headers } = world().preflight(loopback, { [asking]: asked });
    expect(headers["access-control-allow-headers"]).toBe(`authorization, content-type${more}`);
  });

  test.each<[what: string, method: string, headers: Record<string, string>, status: number]>([
    ["no origin", "OPTIONS", { "access-control-request-method": "GET" }, 405],
    ["no method", "OPTIONS", { origin: loopback }, 405],
    ["an empty one", "OPTIONS", { origin: loopback, "access-control-request-method": "" }, 405],
    ["GET", "GET", { origin: loopback, "access-control-request-method": "GET" }, 401],
    ["capitals", "OPTIONS", { Origin: loopback, "Access-Control-Request-Method": "GET" }, 204],
  ])("is an OPTIONS with an origin and a method: %s", (_, method, headers, status) => {
    expect(world().sim.handle({ method, path: stats, headers }).status).toBe(status);
  });

  test("is journalled without an operation, and not as unmatched", () => {
    const { sim, preflight, from } = world();
    preflight(loopback);
    from(loopback);
    preflight("https://evil.example");
    const [first, , refused] = sim.journal.entries();
    expect(first).toMatchObject({ reason: "preflight", assumptions: ["http.cors"] });
    expect([first?.operation, first?.publisher]).toEqual([undefined, undefined]);
    expect(first).not.toHaveProperty("nearest");
    expect(refused?.reason).toBe("method_not_allowed");
    const sequences = (unmatched: boolean): unknown[] =>
      sim.journal.entries({ unmatched }).map(({ sequence }) => sequence);
    expect([sequences(true), sequences(false)]).toEqual([[3], [1, 2]]);
  });

  test("is counted separately in the client report, without a finding", () => {
    const { sim, preflight, from } = world({ clock: "flowing", wallClock: () => 0 });
    for (let sent = 0; sent < 50; sent += 1) preflight(loopback, {}, "/v1/nothing");
    from(loopback);
    const operations = { preflight: { "204": 50 }, stats: { "200": 1 } };
    expect(sim.report()).toMatchObject({ operations, findings: [], requests: 51 });
  });
});

const exposed = "access-control-expose-headers";

test("an answer to a page differs from others only in its headers for pages", () => {
  const [page, other] = [world(), world()];
  const impression = { method: "POST", path: "/v1/impression", query: undefined, body: page.shown };
  const requests: Partial<ApiRequest>[] = [
    impression,
    { ...impression, body: "{" },
    { headers: { authorization: "Bearer no" } },
    { path: "/v1/nothing" },
    { method: "DELETE" },
    { method: "HEAD" },
    ...Array.from({ length: 61 }, () => ({})),
  ];
  const statuses = new Set<number>();
  for (const request of requests) {
    const read = page.from(loopback, request);
    const plain = other.from("https://other.example", request);
    const added = { [origin]: loopback, [exposed]: "Date, X-RateLimit-Remaining, Retry-After" };
    expect(read).toEqual({ ...plain, headers: { ...plain.headers, ...added } });
    statuses.add(read.status);
  }
  expect([...statuses].sort()).toEqual([200, 400, 401, 404, 405, 429]);
  expect(page.sim.snapshot().accounts).toEqual(other.sim.snapshot().accounts);
});

test("under explain an answer to a page exposes what explains it", () => {
  const { headers } = world({ explain: true }).from(loopback);
  expect(headers[exposed]).toContain("X-Adsim-Assumptions, X-Adsim-Fault");
  expect(headers["x-adsim-assumptions"]).toContain("http.cors");
});

describe("fault rules", () => {
  test("ignore preflights: rules for all requests, functions, and counts", () => {
    const { sim, preflight, from } = world();
    const seen: string[] = [];
    sim.faults.add({ match: { nth: 2 }, verdict: { kind: "respond", status: 503 } });
    sim.faults.add(({ method }) => void seen.push(method));
    sim.faults.add({ match: { nth: 1 }, verdict: { kind: "drop" } });
    for (const page of [loopback, "https://evil.example"]) preflight(page);
    expect([from(loopback).status, preflight(loopback).status]).toEqual([0, 204]);
    expect(from(loopback).status).toBe(503);
    expect(seen).toEqual(["GET"]);
    expect(sim.faults.list().map((rule) => rule.seen)).toEqual([2, 2, 2]);
  });

  test.each([
    [{ kind: "respond", status: 503 } as const, loopback],
    [{ kind: "garbage" } as const, loopback],
    // A rule's own header counts.
    [
      { kind: "respond", status: 500, headers: { "Access-Control-Allow-Origin": app } } as const,
      app,
    ],
  ])("answer a page so that it can read it: %j", (verdict, granted) => {
    const { sim, from } = world();
    sim.faults.add({ verdict });
    expect(from(loopback).headers).toMatchObject({ vary: "Origin", [origin]: granted });
    expect(from(loopback).headers).toHaveProperty(exposed);
  });
});
