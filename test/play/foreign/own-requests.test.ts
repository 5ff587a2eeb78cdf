/** What a play sends to a service beside its scenario's requests, and how runs are told apart. Waiting takes no time here. */

import { beforeEach, describe, expect, test, vi } from "vitest";
import { type PlayResult, playScenario, type Scenario } from "../../../src/scenario.ts";
import { foreign } from "../targets/remote-world.ts";
import { credentialsOf, foreignService, playAt, scenarioNamed } from "./scenarios.ts";

const waits: number[] = [];
vi.mock("node:timers/promises", async (original) => ({
  ...(await original<object>()),
  async setTimeout(ms: number) {
    waits.push(ms);
  },
}));
beforeEach(() => {
  waits.length = 0;
});

const once: Scenario = {
  name: "once",
  about: "An impression in a session.",
  steps: [{ impression: { session_id: "s" }, as: "shown", expect: { status: 200 } }],
};

function creditOf({ tally }: PlayResult): number {
  return tally.creditedInr;
}

describe("session ids", () => {
  test("differ from run to run, so that no run's events are duplicates of another's", async () => {
    const service = await foreignService();
    const [first, second] = [await playAt(service, once), await playAt(service, once)];
    expect(creditOf(first)).toBeGreaterThan(0);
    expect(creditOf(second)).toBeGreaterThan(0);
    expect(first.runId).not.toBe(second.runId);
    expect(first.steps[0]?.exchange?.request.body).toContain(`"session_id":"s-${first.runId}"`);
  });

  test("are the same in two runs with one run id", async () => {
    const service = await foreignService();
    const first = await playAt(service, once);
    const again = await playAt(service, once, { runId: first.runId });
    expect(again.runId).toBe(first.runId);
    expect(creditOf(again)).toBe(0);
  });

  test("of traffic begin with the run id", async () => {
    const bodies: string[] = [];
    const target = await foreign((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
      request.on("end", () => response.end("{}"));
    });
    await playScenario(
      {
        ...once,
        steps: [{ traffic: { for: "20ms", arrivals: { kind: "constant", rate: "100/s" } } }],
      },
      { target, runId: "mine", credentials: [{ id: "p", apiKey: "k", surfaces: ["s"] }] },
    );
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(JSON.parse(body).session_id).toMatch(/^mine-/);
  });

  test.each(["", "a b", "x".repeat(65)])("%j is no run id", async (runId) => {
    const played = playScenario(once, {
      target: "http://127.0.0.1:9",
      runId,
      credentials: [{ id: "p", apiKey: "k", surfaces: ["s"] }],
    });
    await expect(played).rejects.toMatchObject({ name: "InputError", field: "runId" });
  });

  test("in process are as the scenario has them, and options for services are refused", async () => {
    const { steps, runId } = await playScenario(once);
    expect(steps[0]?.exchange?.request.body).toContain('"session_id":"s"');
    expect(runId).toBeUndefined();
    for (const option of [{ runId: "x" }, { wait: true }, { assumptions: {} }]) {
      const [field] = Object.keys(option);
      await expect(playScenario(once, option)).rejects.toMatchObject({ field });
      const target = "http://127.0.0.1:9";
      await expect(playScenario(once, { target, ...option })).rejects.toMatchObject({ field });
    }
  });
});

describe("the quota of the GET endpoints", () => {
  const sixty: Scenario = {
    name: "sixty",
    about: "Uses up the limit, and then asks for itself.",
    steps: [
      { impression: { session_id: "s" }, expect: { status: 200 } },
      { parallel: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    ],
    expectations: [{ surfaces: {}, is: { surfaces: { length: 2 } } }],
  };

  test("isn't spent by the look-up of the surfaces: a play that needs all of it waits a minute first", async () => {
    const service = await foreignService();
    await playAt(service, sixty);
    // The second wait is that of the refused expectation.
    expect(waits).toEqual([60_000, 60_000]);
    expect(service.requests.get("GET /v1/publisher/surfaces")).toBe(3);
  });

  test("isn't spent by the expectations: a refused look-up is sent again when there is quota", async () => {
    let asked = 0;
    const target = await foreign((request, response) => {
      asked += 1;
      const isFirst = asked === 1;
      const left = isFirst ? { "x-ratelimit-remaining": "0", "retry-after": "7" } : {};
      response.writeHead(isFirst ? 429 : 200, left).end('{"payouts":[],"pending_inr":3}');
      expect(request.url).toContain("payouts");
    });
    const result = await playScenario(
      { ...once, steps: [{ expect: { payouts: {}, is: { pending_inr: 3 } } }] },
      { target, credentials: [{ id: "p", apiKey: "k", surfaces: ["s"] }] },
    );
    expect(result.steps[0]?.result).toBe("passed");
    expect([asked, waits]).toEqual([2, [7000]]);
  });

  test("is left alone by a scenario that reads nothing and names its surfaces", async () => {
    const service = await foreignService();
    await playAt(service, scenarioNamed("spec-no-key"));
    const { publishers } = service;
    const surfaces = ["acme-board"];
    const credentials = credentialsOf(service)
      .slice(0, 1)
      .map((one) => ({ ...one, surfaces }));
    expect(publishers).toHaveLength(2);
    const before = service.requests.get("GET /v1/publisher/surfaces") ?? 0;
    await playAt(service, once, { credentials });
    expect(service.requests.get("GET /v1/publisher/surfaces") ?? 0).toBe(before);
  });
});

test("no price is made up for surfaces that the user names", async () => {
  const service = await foreignService();
  const credentials = credentialsOf(service).map((one) => ({
    ...one,
    surfaces: [`${one.id}-editor`],
  }));
  const { result, invariants } = await playAt(service, once, { credentials });
  expect(result).toBe("passed");
  expect(invariants.find(({ id }) => id === "M3")?.result).toBe("undecided");
});

test("a play of more than a minute needs wait", async () => {
  const service = await foreignService();
  const long: Scenario = { ...once, steps: [...once.steps, { advance: "2h" }] };
  await expect(playAt(service, long)).rejects.toMatchObject({ name: "InputError", field: "wait" });
  await expect(playAt(service, long)).rejects.toThrow("this takes 2 h");
  expect((await playAt(service, long, { wait: true })).result).toBe("passed");
  expect(waits).toEqual([7_200_000]);
});
