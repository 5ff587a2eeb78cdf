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
import type { algorithmNames } from "../world/limits/algorithm-names.ts";

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

  test("with a sliding log: for each request 60 seconds after it", () => {
    expect(statuses("sliding-log", [52_750, 59_999, 60_000])).toEqual([429, 429, 200]);
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

/** Responses to requests of every kind, with the remaining quota. */
function kinds(sim: Simulator): (readonly [string, ApiResponse, number])[] {
  const { id } = sim.publishers.at(0);
  const send = (request: ApiRequest): ApiResponse => sim.handle(request);
  const { apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  return [
    ["404 of an unknown path", send({ method: "GET", path: "/v2" }), 60],
    ["405", send({ method: "PUT", path: "/v1/click" }), 60],
    ["401 of GET", send({ method: "GET", path: "/v1/publisher/stats" }), 60],
    ["401 of POST", send({ method: "POST", path: "/v1/click" }), 10_000],
    ["200 of GET", get(sim, "surfaces"), 59],
    ["400 of GET", get(sim, "payouts", "&limit=0"), 58],
    [
      "200 of HEAD",
      send({ method: "HEAD", path: `/v1/publisher/stats?publisher_id=${id}`, headers }),
      57,
    ],
    ["200 of POST", impression(sim), 9_999],
    ["404 of POST", click(sim), 9_998],
    ["429", times(58, () => get(sim, "stats")), 0],
  ];
}

test("every response has X-RateLimit-Remaining, and no other header about the limit", () => {
  for (const [kind, response, left] of kinds(simulator({}))) {
    expect(remaining(response), kind).toBe(left);
    const names = Object.keys(response.headers).filter((name) => /ratelimit/.test(name));
    expect(names, kind).toEqual(["x-ratelimit-remaining"]);
  }
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

describe("a request that is refused for another reason", () => {
  const wrong: Readonly<Record<string, (sim: Simulator) => ApiResponse>> = {
    "a wrong parameter": (sim) => get(sim, "payouts", "&limit=0"),
    "another publisher's id": (sim) => get(sim, "stats", `publisher_id=${sim.publishers.at(1).id}`),
    "an unknown surface": (sim) => get(sim, "stats", "&surface=nowhere"),
    "an unknown impression": click,
  };

  test.each(Object.entries(wrong))("%s costs one", (_, send) => {
    const sim = simulator({});
    const first = send(sim);
    expect(first.status).toBeGreaterThanOrEqual(400);
    expect(remaining(send(sim))).toBe(remaining(first) - 1);
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

  test("spends no quota and opens no account", () => {
    const sim = simulator({});
    const before = JSON.stringify(sim.snapshot());
    for (const [method, path] of elsewhere) sim.handle({ method, path, ...keyed(sim) });
    expect(JSON.stringify(sim.snapshot())).toBe(before);
  });
});
