/** The request limits as a client sees them, under every choice of the limit keys. */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { senderOf } from "../sender.ts";
import { algorithmNames } from "../world/limits/algorithm-names.ts";

type Assumptions = NonNullable<SimulatorOptions["assumptions"]>;

const start = "2026-03-01T00:00:07.250Z";

function simulator(assumptions: Assumptions, explain = false): Simulator {
  return createSimulator({ seed: "limits", start, publishers: 2, assumptions, explain });
}

function get(sim: Simulator, what: "stats" | "surfaces" | "payouts", more = ""): ApiResponse {
  const query = Object.fromEntries(new URLSearchParams(more));
  return senderOf(sim, sim.publishers.at(0)).get(what, query);
}

function post(sim: Simulator, what: "impression" | "click", body: object): ApiResponse {
  return senderOf(sim, sim.publishers.at(0)).post(what, { ...body });
}

function impression(sim: Simulator): ApiResponse {
  return senderOf(sim, sim.publishers.at(0)).impression();
}

/** A click on an unknown impression: 404. */
function click(sim: Simulator): ApiResponse {
  return post(sim, "click", { impression_id: "nothing" });
}

function times(count: number, send: () => ApiResponse): ApiResponse {
  let last = send();
  for (let sent = 1; sent < count; sent += 1) last = send();
  return last;
}

function remaining(response: ApiResponse): number {
  return Number(response.headers["x-ratelimit-remaining"]);
}

describe("quota is restored", () => {
  /** The statuses of a request at each of these times, after 60 requests at 00:00:07.250. */
  function statuses(name: (typeof algorithmNames)[number], afterMs: readonly number[]): number[] {
    const sim = simulator({ "limit.algorithm": name });
    times(60, () => get(sim, "stats"));
    return afterMs.map((laterMs) => {
      const later = sim.fork();
      later.clock.advance(laterMs);
      return get(later, "stats").status;
    });
  }

  test("with a fixed window: at the next minute of the clock", () => {
    expect(statuses("fixed-window", [52_749, 52_750])).toEqual([429, 200]);
  });

  test("with a window that starts at the first request: after 60 seconds", () => {
    expect(statuses("fixed-from-first", [52_750, 59_999, 60_000])).toEqual([429, 429, 200]);
  });

  test("with a sliding log: for each request 60 seconds after it", () => {
    expect(statuses("sliding-log", [52_750, 59_999, 60_000])).toEqual([429, 429, 200]);
  });

  test("with a sliding counter: gradually in the next minute of the clock", () => {
    expect(statuses("sliding-counter", [52_749, 52_750, 52_751])).toEqual([429, 429, 200]);
  });

  test("with a token bucket: one a second", () => {
    expect(statuses("token-bucket", [999, 1000])).toEqual([429, 200]);
  });
});

describe("limit.retry-after http-date", () => {
  test("is the first whole second at which a request is admitted", () => {
    const sim = simulator({ "limit.retry-after": "http-date", "limit.algorithm": "sliding-log" });
    times(60, () => get(sim, "stats"));
    // Requests are admitted again at 00:01:07.250.
    expect(get(sim, "stats").headers["retry-after"]).toBe("Sun, 01 Mar 2026 00:01:08 GMT");
    sim.clock.set({ nowMs: Date.parse("2026-03-01T00:01:07Z") });
    expect(get(sim, "stats").headers["retry-after"]).toBe("Sun, 01 Mar 2026 00:01:08 GMT");
    sim.clock.set({ nowMs: Date.parse("2026-03-01T00:01:08Z") });
    expect(get(sim, "stats").status).toBe(200);
  });

  test("is the exact instant if that is a whole second", () => {
    const sim = simulator({ "limit.retry-after": "http-date" });
    times(60, () => get(sim, "stats"));
    expect(get(sim, "stats").headers["retry-after"]).toBe("Sun, 01 Mar 2026 00:01:00 GMT");
  });

  test("stays an HTTP date at the last instant that a world's clock can reach", () => {
    const sim = simulator({ "limit.retry-after": "http-date" });
    sim.clock.set({ nowMs: 253_402_280_999_999 });
    times(60, () => get(sim, "stats"));
    expect(get(sim, "stats").headers["retry-after"]).toBe("Fri, 31 Dec 9999 18:30:00 GMT");
  });

  test("is sent only with a 429", () => {
    const sim = simulator({ "limit.retry-after": "http-date" });
    const responses = [get(sim, "stats"), click(sim), sim.handle({ method: "GET", path: "/" })];
    for (const { headers } of responses) expect(headers).not.toHaveProperty("retry-after");
  });
});

const inWindow = Date.parse("2026-03-01T00:00:08Z") / 1000;
const windowEnd = Date.parse("2026-03-01T00:01:00Z") / 1000;

/** Responses to requests of every kind, with their pool, remaining quota and time until all is back. */
function kinds(sim: Simulator): (readonly [string, ApiResponse, number, number, number])[] {
  const { id } = sim.publishers.at(0);
  const send = (request: ApiRequest): ApiResponse => sim.handle(request);
  const { apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  return [
    ["404 of an unknown path", send({ method: "GET", path: "/v2" }), 60, 60, inWindow],
    ["405", send({ method: "PUT", path: "/v1/click" }), 60, 60, inWindow],
    ["401 of GET", send({ method: "GET", path: "/v1/publisher/stats" }), 60, 60, inWindow],
    ["401 of POST", send({ method: "POST", path: "/v1/click" }), 10_000, 10_000, inWindow],
    ["200 of GET", get(sim, "surfaces"), 60, 59, windowEnd],
    ["400 of GET", get(sim, "payouts", "&limit=0"), 60, 58, windowEnd],
    [
      "200 of HEAD",
      send({ method: "HEAD", path: `/v1/publisher/stats?publisher_id=${id}`, headers }),
      60,
      57,
      windowEnd,
    ],
    ["200 of POST", impression(sim), 10_000, 9_999, windowEnd],
    ["404 of POST", click(sim), 10_000, 9_998, windowEnd],
    ["429", times(58, () => get(sim, "stats")), 60, 0, windowEnd],
  ];
}

describe("limit.headers", () => {
  test("remaining: only X-RateLimit-Remaining", () => {
    for (const [kind, response, , left] of kinds(simulator({}))) {
      expect(remaining(response), kind).toBe(left);
      const names = Object.keys(response.headers).filter((name) => /ratelimit/.test(name));
      expect(names, kind).toEqual(["x-ratelimit-remaining"]);
    }
  });

  test("limit-reset: every response also has X-RateLimit-Limit and -Reset", () => {
    const sim = simulator({ "limit.headers": "limit-reset" });
    for (const [kind, { headers }, limit, left, reset] of kinds(sim)) {
      expect(headers, kind).toMatchObject({
        "x-ratelimit-remaining": String(left),
        "x-ratelimit-limit": String(limit),
        "x-ratelimit-reset": String(reset),
      });
    }
  });

  test("ietf: every response also has RateLimit-Policy and RateLimit", () => {
    const sim = simulator({ "limit.headers": "ietf" });
    for (const [kind, { headers }, limit, left, reset] of kinds(sim)) {
      const pool = limit === 60 ? "reporting" : "recording";
      expect(headers, kind).toMatchObject({
        "x-ratelimit-remaining": String(left),
        "ratelimit-policy": `"${pool}";q=${limit};w=60`,
        ratelimit: `"${pool}";r=${left};t=${reset === windowEnd ? 53 : 0}`,
      });
    }
  });

  test("give the time until all quota is back under the algorithm in force", () => {
    const resets = algorithmNames.map((name) => {
      const sim = simulator({ "limit.headers": "limit-reset", "limit.algorithm": name });
      get(sim, "stats");
      sim.clock.advance(500);
      const reset = get(sim, "stats").headers["x-ratelimit-reset"];
      return [name, new Date(Number(reset) * 1000).toISOString().slice(11, 19)];
    });
    expect(Object.fromEntries(resets)).toEqual({
      "fixed-window": "00:01:00",
      "fixed-from-first": "00:01:08",
      "sliding-log": "00:01:08",
      // Two requests count as at least one until half a minute into the next window.
      "sliding-counter": "00:01:31",
      "token-bucket": "00:00:10",
    });
  });

  test("name the pool if there are several", () => {
    const sim = simulator({
      "limit.headers": "ietf",
      "limit.recording-pool": "separate",
      "limit.reporting-endpoints": "stats-only",
    });
    expect(impression(sim).headers.ratelimit).toBe('"recording";r=9999;t=53');
    expect(click(sim).headers.ratelimit).toBe('"clicks";r=9999;t=53');
    expect(click(sim).headers["ratelimit-policy"]).toBe('"clicks";q=10000;w=60');
    expect(get(sim, "stats").headers.ratelimit).toBe('"reporting";r=59;t=53');
    expect(get(sim, "payouts").headers.ratelimit).toBe('"reporting";r=60;t=0');
  });
});

describe("limit.recording-pool", () => {
  test("shared: impressions and clicks use up one limit", () => {
    const sim = simulator({});
    expect(remaining(impression(sim))).toBe(9_999);
    expect(remaining(click(sim))).toBe(9_998);
  });

  test("separate: clicks have 10,000 of their own", () => {
    const sim = simulator({ "limit.recording-pool": "separate" });
    expect(remaining(impression(sim))).toBe(9_999);
    expect(remaining(click(sim))).toBe(9_999);
    times(9_999, () => click(sim));
    const refused = click(sim);
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body).detail).toMatch(/10,000 click requests/);
    expect([impression(sim).status, remaining(impression(sim))]).toEqual([200, 9_997]);
  });

  test("separate: a rotated key has the clicks that its publisher has left", () => {
    const sim = simulator({ "limit.recording-pool": "separate" });
    click(sim);
    sim.publishers.rotateKey(sim.publishers.at(0).id);
    expect(remaining(click(sim))).toBe(9_998);
  });
});

describe("limit.reporting-endpoints", () => {
  test("all-get: the three endpoints share one limit", () => {
    const sim = simulator({});
    const left = (["stats", "surfaces", "payouts"] as const).map((what) =>
      remaining(get(sim, what)),
    );
    expect(left).toEqual([59, 58, 57]);
  });

  test("stats-only: surfaces and payouts are never refused, and always have 60 left", () => {
    const sim = simulator({ "limit.reporting-endpoints": "stats-only" });
    times(60, () => get(sim, "stats"));
    expect(get(sim, "stats").status).toBe(429);
    for (const what of ["surfaces", "payouts"] as const) {
      const last = times(70, () => get(sim, what));
      expect([last.status, remaining(last)]).toEqual([200, 60]);
    }
    const wrong = get(sim, "payouts", "&limit=0");
    expect([wrong.status, remaining(wrong)]).toEqual([400, 60]);
  });
});

describe("limit.rejected-requests", () => {
  const wrong: Readonly<Record<string, (sim: Simulator) => ApiResponse>> = {
    "a wrong parameter": (sim) => get(sim, "payouts", "&limit=0"),
    "another publisher's id": (sim) => get(sim, "stats", `publisher_id=${sim.publishers.at(1).id}`),
    "an unknown surface": (sim) => get(sim, "stats", "&surface=nowhere"),
    "an unknown impression": click,
  };

  test.each(Object.entries(wrong))("spend: %s costs one", (_, send) => {
    const sim = simulator({});
    const first = send(sim);
    expect(first.status).toBeGreaterThanOrEqual(400);
    expect(remaining(send(sim))).toBe(remaining(first) - 1);
  });

  describe.each(algorithmNames)(
    "free: a refusal spends nothing with limit.algorithm %s",
    (algorithm) => {
      const free = { "limit.rejected-requests": "free", "limit.algorithm": algorithm } as const;

      test.each(Object.entries(wrong))("free: %s costs nothing", (_, send) => {
        const sim = simulator(free);
        const first = send(sim);
        expect(first.status).toBeGreaterThanOrEqual(400);
        expect([60, 10_000]).toContain(remaining(first));
        expect(remaining(send(sim))).toBe(remaining(first));
        get(sim, "stats");
        impression(sim);
        expect(remaining(send(sim))).toBe(remaining(first) - 1);
        // The refused request doesn't affect later admissions either.
        const plain = sim.fork();
        times(100, () => send(sim));
        for (const each of [sim, plain]) times(59, () => get(each, "stats"));
        const both = [sim, plain].map((each) => get(each, "stats"));
        expect(both[0]).toEqual(both[1]);
        expect(both[0]?.status).toBe(429);
      });

      test("a request over the limit gets 429, whatever else is wrong with it", () => {
        const sim = simulator(free);
        times(60, () => get(sim, "stats"));
        expect(get(sim, "stats", "&surface=nowhere").status).toBe(429);
      });
    },
  );

  test("free: the other headers show the returned quota too", () => {
    const sim = simulator({ "limit.rejected-requests": "free", "limit.headers": "ietf" });
    expect(get(sim, "payouts", "&limit=0").headers.ratelimit).toBe('"reporting";r=60;t=0');
  });
});

describe("the keys that shaped an answer", () => {
  const shapes = (response: ApiResponse): string[] =>
    (response.headers["x-adsim-assumptions"] ?? "").split(", ");

  test("a refusal by the limit lists the pool's key and the algorithm's", () => {
    const sim = simulator({}, true);
    times(60, () => get(sim, "surfaces"));
    const byGet = shapes(get(sim, "payouts"));
    expect(byGet).toContain("limit.algorithm");
    expect(byGet).toContain("limit.reporting-endpoints");
    expect(byGet).toContain("limit.rejected-requests");
    expect(byGet).not.toContain("limit.recording-pool");
    times(10_000, () => impression(sim));
    const byPost = shapes(click(sim));
    expect(byPost).toContain("limit.recording-pool");
    expect(byPost).not.toContain("limit.reporting-endpoints");
  });

  test("a free refusal lists limit.rejected-requests if the limit had let the request pass", () => {
    const sim = simulator({ "limit.rejected-requests": "free" }, true);
    expect(shapes(click(sim))).toContain("limit.rejected-requests");
    expect(shapes(sim.handle({ method: "GET", path: "/" }))).toEqual(["errors.body"]);
    expect(shapes(get(sim, "stats"))).not.toContain("limit.rejected-requests");
    expect(shapes(click(simulator({}, true)))).not.toContain("limit.rejected-requests");
  });

  test("limit.headers is listed wherever its headers are sent", () => {
    const sim = simulator({ "limit.headers": "ietf" }, true);
    expect(shapes(impression(sim))).toContain("limit.headers");
    expect(shapes(sim.handle({ method: "GET", path: "/" }))).toContain("limit.headers");
  });
});

describe("an answer without an operation", () => {
  /** A world where a key has no reporting quota left, and its publisher 3 fewer impressions. */
  function exhausted(assumptions: SimulatorOptions["assumptions"] = {}): Simulator {
    const sim = simulator(assumptions);
    times(60, () => get(sim, "stats"));
    times(3, () => sim.handle({ ...keyed(sim), method: "POST", path: "/v1/impression" }));
    return sim;
  }
  const keyed = (sim: Simulator, scheme = "Bearer") => ({
    headers: { authorization: `${scheme} ${sim.publishers.at(0).apiKey}` },
  });
  const elsewhere = [
    ["GET", "/v1/nowhere", 404],
    ["HEAD", "/", 404],
    ["POST", "/v1/publisher/stats/", 404],
    ["POST", "/v1/publisher/stats", 405],
    ["OPTIONS", "/v1/publisher/payouts", 405],
    ["HEAD", "/v1/impression", 405],
    ["CONNECT", "example.com:443", 404],
  ] as const;

  test.each(elsewhere)("shows the quota left for the key: %s %s", (method, path, status) => {
    const sim = exhausted();
    const response = sim.handle({ method, path, ...keyed(sim) });
    expect([response.status, remaining(response)]).toEqual([status, 0]);
    expect(sim.journal.entries({ limit: 1 })[0]?.publisher).toBe(sim.publishers.at(0).id);
    expect(remaining(sim.handle({ method, path }))).toBe(60);
    expect(sim.journal.entries({ limit: 1 })[0]?.publisher).toBe(undefined);
    expect(remaining(sim.handle({ method, path, ...keyed(sim, "Basic") }))).toBe(60);
    sim.publishers.rotateKey(sim.publishers.at(0).id);
    expect(remaining(sim.handle({ method, path, ...keyed(sim) }))).toBe(60);
  });

  test("shows it also if a fault rule answers", () => {
    const sim = exhausted();
    sim.faults.add({ verdict: { kind: "respond", status: 503 } });
    const response = sim.handle({ method: "GET", path: "/v1/nowhere", ...keyed(sim) });
    expect([response.status, remaining(response)]).toEqual([503, 0]);
  });

  test("shows the limit of the redirect's target if it is a redirect", () => {
    const sim = exhausted({ "http.trailing-slash": "308" });
    const redirected = (method: string, path: string) =>
      remaining(sim.handle({ method, path, ...keyed(sim) }));
    expect(redirected("GET", "/v1/publisher/stats/")).toBe(0);
    expect(redirected("POST", "/v1/impression/")).toBe(9997);
  });

  test("spends no quota and opens no account", () => {
    const sim = simulator({});
    const before = JSON.stringify(sim.snapshot());
    for (const [method, path] of elsewhere) sim.handle({ method, path, ...keyed(sim) });
    expect(JSON.stringify(sim.snapshot())).toBe(before);
  });
});
