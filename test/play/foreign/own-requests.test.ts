/** What a play sends to a service beside its scenario's requests, and how runs are told apart. Waiting takes no time here. */

import { beforeEach, describe, expect, test, vi } from "vitest";
import { type PlayResult, playScenario, type Scenario } from "../../../src/scenario.ts";
import { foreign } from "../targets/remote-world.ts";
import { foreignService, playAt, scenarioNamed } from "./scenarios.ts";

const waits: number[] = [];
vi.useFakeTimers({ toFake: ["Date"] });
vi.mock("node:timers/promises", async (original) => {
  const timers = await original<typeof import("node:timers/promises")>();
  return {
    ...timers,
    async setTimeout(ms: number) {
      waits.push(ms);
      vi.setSystemTime(Date.now() + ms);
      await timers.setImmediate();
    },
  };
});
beforeEach(() => {
  waits.length = 0;
});

const once: Scenario = {
  name: "once",
  about: "An impression in a session.",
  steps: [{ impression: { session_id: "s" }, as: "shown", expect: { status: 200 } }],
};

const creditOf = ({ tally }: PlayResult): number => tally.creditedInr;

describe("session ids", () => {
  test("differ from run to run, so that no run's events are duplicates of another's", async () => {
    const service = await foreignService();
    const [first, second] = [await playAt(service, once), await playAt(service, once)];
    expect(creditOf(first)).toBeGreaterThan(0);
    expect(creditOf(second)).toBeGreaterThan(0);
    expect(first.runId).not.toBe(second.runId);
    expect(first.steps[0]?.exchange?.request.body).toContain(`"session_id":"s-${first.runId}"`);
    const again = await playAt(service, once, { runId: first.runId });
    expect([again.runId, creditOf(again)]).toEqual([first.runId, 0]);
  });

  test("of traffic begin with the run id", async () => {
    const bodies: string[] = [];
    const target = await foreign((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
      request.on("end", () => response.end("{}"));
    });
    const arrivals = { kind: "constant", rate: "100/s" } as const;
    const steps = [{ traffic: { for: "20ms", arrivals } }];
    const credentials = [{ id: "p", apiKey: "k", surfaces: ["s"] }];
    await playScenario({ ...once, steps }, { target, runId: "mine", credentials });
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(JSON.parse(body).session_id).toMatch(/^mine-/);
  });

  test("in process are as the scenario has them", async () => {
    const { steps, runId } = await playScenario(once);
    expect(steps[0]?.exchange?.request.body).toContain('"session_id":"s"');
    expect(runId).toBeUndefined();
  });
});

describe("the quota of the GET endpoints", () => {
  test("isn't spent by the look-up of the surfaces: a play that needs all of it waits a minute first", async () => {
    const service = await foreignService();
    const sixty = { parallel: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } };
    const scenario = { ...once, steps: [...once.steps, sixty] };
    const told: number[] = [];
    const { result } = await playAt(service, scenario, { onWait: (ms) => told.push(ms) });
    expect(result).toBe("passed");
    expect(waits.map((ms) => Math.round(ms / 1000))).toEqual([60]);
    expect(told).toEqual(waits);
    expect(service.requests.get("GET /v1/publisher/surfaces")).toBe(1);
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
    const credentials = [{ id: "p", apiKey: "k", surfaces: ["s"] }];
    const steps = [{ expect: { payouts: {}, is: { pending_inr: 3 } } }];
    const result = await playScenario({ ...once, steps }, { target, credentials });
    expect(result.steps[0]?.result).toBe("passed");
    expect([asked, waits]).toEqual([2, [7000]]);
  });

  test("isn't spent on surfaces that the user names, and no price is made up for them", async () => {
    const service = await foreignService();
    const [{ id, apiKey } = { id: "", apiKey: "" }] = service.publishers;
    const credentials = [{ id, apiKey, surfaces: [`${id}-editor`] }];
    const { result, invariants } = await playAt(service, once, { credentials });
    expect(service.requests.has("GET /v1/publisher/surfaces")).toBe(false);
    expect(result).toBe("passed");
    expect(invariants.find(({ id }) => id === "M3")?.result).toBe("undecided");
  });
});

test("a play of more than a minute needs wait", async () => {
  const service = await foreignService();
  const long: Scenario = { ...once, steps: [...once.steps, { advance: "2h" }] };
  const refused = { name: "InputError", message: expect.stringContaining("this takes 2 h") };
  await expect(playAt(service, long)).rejects.toMatchObject({ ...refused, field: "wait" });
  expect((await playAt(service, long, { wait: true })).result).toBe("passed");
  expect(waits).toEqual([7_200_000]);
  expect((await playAt(service, scenarioNamed("spec-stats-limit"))).result).toBe("passed");
});
