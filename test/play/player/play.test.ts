/** How a scenario is played in process: what each kind of step does, what its name then stands for, and how it ends. */

import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import type { Scenario } from "../../../src/scenario.ts";
import { heldSteps, playSteps, resultAt } from "./play-steps.ts";

const DAY = "2026-01-15";

describe("a request", () => {
  test("fills in the publisher's own id, surface and an ad", async () => {
    const result = await heldSteps([
      { impression: {}, expect: { status: 200, body: { ok: true } } },
    ]);
    expect(resultAt(result, "steps.0").exchange?.request).toMatchObject({
      method: "POST",
      path: "/v1/impression",
      body: expect.stringMatching(/"publisher_id":"pub_.*"surface":"srf_.*"ad_id":"ad-1"/),
    });
  });

  test("can be sent as JSON, a form or a query, which count alike", async () => {
    const result = await heldSteps([
      { impression: {}, encoding: "json", expect: { status: 200 } },
      { impression: {}, encoding: "form", expect: { status: 200 } },
      { impression: {}, encoding: "query", expect: { status: 200 } },
      { expect: { stats: { from: DAY }, is: { impressions: 3 } } },
    ]);
    const [json, form, query] = result.steps.map(({ exchange }) => exchange?.request);
    expect(json?.body).toMatch(/^\{/);
    expect(form?.body).toMatch(/^publisher_id=/);
    expect(query).toMatchObject({ body: "", query: expect.stringMatching(/^publisher_id=/) });
  });

  test("has another publisher's key, an unknown one or none if the step says so", async () => {
    const result = await heldSteps([
      { stats: {}, publisher: 1, expect: { body: { publisher_id: { ref: "publishers.1.id" } } } },
      { stats: {}, key: { ref: "publishers.1.apiKey" }, expect: { status: 403 } },
      { stats: {}, key: "odd", expect: { status: 401 } },
      { stats: {}, key: null, expect: { status: 401 } },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/key_[0-9a-z]{5}/);
  });

  test("given raw is sent as it is", async () => {
    await heldSteps([
      {
        raw: { method: "DELETE", path: "/v1/impression" },
        expect: { status: 405, headers: { allow: "POST" } },
      },
      { raw: { method: "POST", path: "/v1/click", body: "{" }, expect: { status: 400 } },
      {
        raw: {
          method: "GET",
          path: "/v1/publisher/stats",
          query: { publisher_id: { ref: "publishers.0.id" } },
        },
        expect: { status: 200 },
      },
    ]);
  });

  test("refers to earlier answers, by name", async () => {
    await heldSteps([
      { impression: {}, as: "shown" },
      { click: { impression_id: { ref: "shown.impression_id" } }, as: "clicked" },
      {
        expect: {
          stats: { from: DAY },
          is: {
            clicks: 1,
            revenue_inr: {
              sum: [{ ref: "shown.revenue_credited_inr" }, { ref: "clicked.revenue_credited_inr" }],
            },
          },
        },
      },
    ]);
  });

  test("without an answer leaves an expectation of its status unknown", async () => {
    const result = await playSteps(
      [{ impression: {}, expect: { outcome: "lost", status: { atMost: 299 } } }],
      { faults: [{ verdict: { kind: "drop" } }] },
    );
    expect(result).toMatchObject({
      result: "undecided",
      why: "steps.0: no answer came: it was lost",
    });
  });

  test("whose parameter is not known is not sent, and the result is unknown", async () => {
    const result = await playSteps([
      { impression: {}, key: null, as: "refused" },
      { click: { impression_id: { ref: "refused.impression_id" } }, as: "clicked" },
      { expect: { answer: "clicked", status: 200 } },
    ]);
    expect(result).toMatchObject({ result: "undecided", tally: { sent: 1 } });
    expect(resultAt(result, "steps.1")).toMatchObject({
      result: "undecided",
      why: "refused.impression_id does not exist: there is no impression_id",
    });
    expect(resultAt(result, "steps.2").result).toBe("undecided");
  });
});

describe("time", () => {
  test("advances by durations, to instants, and by as much as a Retry-After says", async () => {
    const result = await heldSteps(
      [
        { repeat: { times: 60, steps: [{ stats: {} }] } },
        { advance: "10s" },
        { stats: {}, as: "refused", expect: { status: 429, headers: { "retry-after": "50" } } },
        { advance: { retryAfterOf: "refused", less: "1s" } },
        { stats: {}, as: "early", expect: { status: 429, headers: { "retry-after": "1" } } },
        { advance: { retryAfterOf: "refused" } },
        { stats: {}, expect: { status: 200 } },
        { advance: { to: "2026-02-01T00:00:00Z" } },
      ],
      { start: "2026-01-31T23:50:00Z" },
    );
    expect(resultAt(result, "steps.6").at).toBe("2026-01-31T23:51:00.000Z");
    expect(result.endedAt).toBe("2026-02-01T00:00:00.000Z");
  });

  test.each(["99999999999999999999", "999999999999", "Fri, 01 Jan 99999 00:00:00 GMT"])(
    "doesn't leave the calendar if a Retry-After is %s: the step is unknown",
    async (hint) => {
      const late = { kind: "respond", status: 429, headers: { "retry-after": hint } } as const;
      const result = await playSteps([
        { fault: { id: "late", verdict: late } },
        { stats: {}, as: "refused" },
        { advance: { retryAfterOf: "refused" } },
        { heal: "late" },
        { stats: {}, expect: { status: 200 } },
      ]);
      expect(resultAt(result, "steps.2")).toMatchObject({
        result: "undecided",
        why: "refused says to wait beyond the year 9999",
      });
    },
  );

  test("never goes back: the step is unknown", async () => {
    const result = await playSteps([{ advance: { to: "2026-01-01T00:00:00Z" } }]);
    expect(resultAt(result, "steps.0")).toMatchObject({
      result: "undecided",
      why: "the time is already past 2026-01-01T00:00:00Z",
    });
  });

  test("doesn't pass the year 9999: the play ends with the step's path", async () => {
    const year: Scenario["steps"] = [{ advance: "365d" }];
    await expect(playSteps([{ repeat: { times: 9000, steps: year } }])).rejects.toThrow(
      /^steps\.0\.repeat\.steps\.0\.advance/,
    );
  });
});

describe("faults", () => {
  const drop = { verdict: { kind: "drop" } } as const;

  test.each<[says: RegExp, steps: Scenario["steps"]]>([
    [
      /^steps\.0\.repeat\.steps\.0\.fault\.id .*already/,
      [{ repeat: { times: 2, steps: [{ fault: { id: "a", ...drop } }] } }],
    ],
    [
      /^steps\.1\.heal\.strom .*Did you mean "storm"/,
      [{ fault: { id: "storm", ...drop } }, { heal: "strom" }],
    ],
  ])("what the world can't do ends the play: %s", async (says, steps) => {
    await expect(playSteps(steps)).rejects.toThrow(says);
  });

  const lose = { id: "lose", verdict: { kind: "lose-response" } } as const;

  test("come and go, and the client sees what they do", async () => {
    await heldSteps([
      { fault: lose },
      { impression: {}, expect: { outcome: "lost" } },
      { heal: "lose" },
      { impression: {}, expect: { status: 200 } },
      { expect: { audit: { total: { applied: 2, lost: 1 } } } },
    ]);
  });

  test("that never fired leave the result unknown", async () => {
    const result = await playSteps([{ impression: {}, expect: { status: 200 } }], {
      faults: [{ ...lose, match: { nth: 2 } }],
    });
    expect(result).toMatchObject({ result: "undecided", why: "fault rule lose never fired" });
  });

  const outage = { kind: "respond", status: 503 } as const;

  test("with a ttl don't have to fire", async () => {
    const rule = { id: "outage", verdict: outage, ttl: "1m" } as const;
    const steps = [{ advance: "1h" }, { impression: {}, expect: { status: 200 } }] as const;
    await heldSteps(steps, { faults: [rule] });
    await heldSteps([{ fault: rule }, ...steps]);
  });

  test("that share an id must each fire", async () => {
    const steps = [
      { fault: { id: "outage", match: { operation: "click" }, verdict: outage } },
      { heal: "outage" },
      { fault: { id: "outage", verdict: outage } },
      { impression: {}, expect: { status: 503 } },
    ] as const;
    const why = "fault rule outage never fired";
    expect(await playSteps(steps)).toMatchObject({ result: "undecided", why });
  });

  test("of a repeat may fire in any of its rounds", async () => {
    const steps = [
      { fault: { id: "outage", match: { operation: "impression" }, verdict: outage } },
      { impression: {} },
      { heal: "outage" },
    ] as const;
    const quiet = [{ fault: steps[0].fault }, { stats: {} }, { heal: "outage" }] as const;
    expect((await playSteps([{ repeat: { times: 2, steps } }])).result).toBe("passed");
    expect((await playSteps([{ repeat: { times: 2, steps: quiet } }])).result).toBe("undecided");
  });

  test("that fired before they were healed count as fired", async () => {
    const steps = [
      { impression: {} },
      { heal: "all" },
      { impression: {}, expect: { status: 200 } },
    ] as const;
    expect((await playSteps(steps, { faults: [lose] })).result).toBe("passed");
  });

  test("that delay an answer show in its latency, or time the client out", async () => {
    const late = { verdict: { kind: "delay", delay: "3s" } } as const;
    const result = await heldSteps(
      [
        { impression: {}, timeout: "2s", expect: { outcome: "timed-out" } },
        { impression: {}, timeout: "4s", as: "late", expect: { status: 200 } },
        { expect: { audit: { total: { lost: 1, applied: 2 } } } },
      ],
      { faults: [late], thresholds: ["p99 <= 3100ms"] },
    );
    expect(resultAt(result, "steps.1").exchange?.latencyMs).toBe(3000);
  });

  test("that don't exist can't be healed, and the error names the step", async () => {
    await expect(playSteps([{ heal: "lose" }])).rejects.toThrowError(InputError);
    await expect(playSteps([{ heal: "lose" }])).rejects.toThrow(/^steps\.0\.heal/);
  });
});

describe("publishers", () => {
  test("sign up, rotate keys and change surfaces", async () => {
    await heldSteps([
      { signUp: { name: "Acme", surfaces: ["Side", "Top"] }, as: "acme" },
      { payouts: {}, publisher: "acme", expect: { body: { payouts: [], pending_inr: 0 } } },
      { rotateKey: { publisher: "acme" }, as: "rotation" },
      { stats: {}, publisher: "acme", expect: { status: 200 } },
      { stats: {}, publisher: "acme", key: { ref: "rotation.oldKey" }, expect: { status: 401 } },
      { setSurface: { publisher: "acme", surface: 1, status: "paused" } },
      {
        surfaces: {},
        publisher: "acme",
        expect: { body: { surfaces: [{ status: "active" }, { status: "paused" }] } },
      },
      {
        impression: { surface: { ref: "acme.surfaces.1.id" } },
        publisher: "acme",
        expect: { status: 409 },
      },
    ]);
  });

  test("see other assumptions from the assume step on", async () => {
    await heldSteps([
      { stats: {}, key: "odd", expect: { status: 401 } },
      { assume: { "auth.failure": "403" } },
      { stats: {}, key: "odd", expect: { status: 403 } },
    ]);
  });
});

describe("steps in steps", () => {
  test("a repeat numbers its rounds, and counts over all of them", async () => {
    const result = await playSteps([
      {
        repeat: {
          times: 4,
          every: "10m",
          steps: [{ impression: { session_id: { numbered: "s-" } } }],
        },
        as: "rounds",
        expect: { ok: 4, differentIds: 4, operations: { impression: { sent: 4 } } },
      },
      { expect: { of: "rounds.ok", is: 4 } },
    ]);
    expect(result).toMatchObject({ result: "passed", endedAt: "2026-01-15T00:40:00.000Z" });
    expect(resultAt(result, "steps.0.repeat.steps.0").times).toBe(4);
  });

  test("a repeated step is broken if one of its rounds is", async () => {
    const result = await playSteps([
      {
        repeat: {
          times: 3,
          steps: [
            { impression: { session_id: { numbered: "s-" } } },
            { expect: { stats: { from: DAY }, is: { impressions: { not: 2 } } } },
          ],
        },
      },
    ]);
    expect(resultAt(result, "steps.0.repeat.steps.1")).toMatchObject({
      result: "failed",
      times: 3,
      checks: [{ result: "failed", about: "stats.impressions", found: "2" }],
    });
  });

  test("parallel requests come at one instant, and an expectation applies to each", async () => {
    const result = await playSteps([
      {
        parallel: {
          times: 50,
          steps: [{ impression: { session_id: "one" }, expect: { status: 200 } }],
        },
        as: "storm",
        expect: { ok: 50, differentIds: 1 },
      },
      {
        expect: {
          stats: { from: DAY },
          is: { impressions: 1, revenue_inr: { ref: "storm.creditedInr" } },
        },
      },
    ]);
    expect(result).toMatchObject({ result: "passed", startedAt: result.endedAt });
  });

  test("an expectation's own request after a pause sees the time after it", async () => {
    const asked = { stats: {}, is: { period: { to: "2026-01-15" } } };
    const result = await playSteps([
      { repeat: { times: 2, every: "1d", steps: [{ expect: asked }] } },
    ]);
    expect(resultAt(result, "steps.0.repeat.steps.0").checks).toMatchObject([
      { result: "failed", about: "stats.period.to", found: '"2026-01-16"' },
    ]);
  });

  test("a repeat inside a repeat numbers its own rounds", async () => {
    const inner = { impression: { session_id: { numbered: "s-" } } } as const;
    await heldSteps([
      {
        repeat: { times: 3, steps: [{ repeat: { times: 2, steps: [inner] } }] },
        expect: { differentIds: 2 },
      },
    ]);
  });
});

describe("a result", () => {
  test("that is broken shows both sides, the journal, and how to play it again", async () => {
    const result = await playSteps([{ impression: {}, as: "one", expect: { status: 201 } }]);
    expect(result).toMatchObject({
      result: "failed",
      why: "one status: expected 201, found 200 (steps.0)",
      reproduce: "npx adsim play test",
    });
    expect(resultAt(result, "steps.0")).toMatchObject({
      checks: [
        { result: "passed" },
        { result: "failed", about: "one status", expected: "201", found: "200" },
      ],
      journal: [{ sequence: 1, operation: "impression" }],
    });
  });

  test("of a scenario that shows a defect is held if something is broken, and broken if nothing is", async () => {
    const shows = { result: "failed" } as const;
    const wrong = { stats: { from: DAY }, is: { impressions: 3 } };
    const result = await playSteps([{ impression: {} }, { expect: wrong }], shows);
    expect(result).toMatchObject({
      result: "passed",
      why: "it fails, as the scenario says: stats.impressions: expected 3, found 1 (steps.1)",
      scenario: { result: "failed" },
    });
    expect(resultAt(result, "steps.1").result).toBe("failed");
    const fixed = await playSteps([{ impression: {}, expect: { status: 200 } }], shows);
    expect(fixed.result).toBe("failed");
    expect(fixed.why).toContain("but the scenario says that something fails");
    // Nothing is known, so the defect didn't show.
    expect((await playSteps([{ advance: "1s" }], shows)).result).toBe("undecided");
  });

  test("has dates that are counted back from the target's today", async () => {
    const result = await heldSteps(
      [
        {
          stats: { from: { daysAgo: 3 }, to: { daysAgo: 0 } },
          as: "first",
          expect: { status: 200 },
        },
        { expect: { of: "first.period", is: { from: "2026-02-26", to: "2026-03-01" } } },
        { advance: "1d" },
        { stats: { from: { daysAgo: 3 } }, expect: { body: { period: { from: { daysAgo: 3 } } } } },
      ],
      { start: "2026-03-01T23:59:59Z" },
    );
    expect(resultAt(result, "steps.3").exchange?.request.query).toContain("from=2026-02-27");
  });

  test("is the same every time, and has another digest if a request or the seed differs", async () => {
    const steps = [
      { impression: {}, expect: { status: 200 } },
      { advance: "1d" },
      { stats: {} },
    ] as const;
    expect(playSteps(steps)).toEqual(playSteps(steps));
    const other = await playSteps([...steps, { stats: { surface: "x" } }]);
    expect(other.digest).not.toBe((await playSteps(steps)).digest);
    expect((await playSteps(steps, { seed: "other" })).digest).not.toBe(
      (await playSteps(steps)).digest,
    );
  });

  test("of a scenario that expects nothing and asks nothing is unknown", async () => {
    const why = "the scenario expects nothing";
    expect(await playSteps([{ advance: "1s" }])).toMatchObject({ result: "undecided", why });
  });

  test("of all invariants is held if some had nothing to check, but that of one such alone is unknown", async () => {
    const result = await heldSteps([{ impression: {} }, { expect: { invariant: "all" } }]);
    const { checks } = resultAt(result, "steps.1");
    expect(checks.length).toBeGreaterThan(8);
    expect(checks).toContainEqual(
      expect.objectContaining({ result: "passed", about: "invariant M1", invariant: "M1" }),
    );
    expect((await playSteps([{ impression: {} }, { expect: { invariant: "A4" } }])).result).toBe(
      "undecided",
    );
  });

  test("isn't changed by an expectation's own requests: they spend no quota", async () => {
    await heldSteps([
      { repeat: { times: 60, steps: [{ stats: {} }] } },
      {
        repeat: {
          times: 3,
          steps: [{ expect: { stats: {}, is: { publisher_id: { ref: "publishers.0.id" } } } }],
        },
      },
      { expect: { audit: { total: { attempts: 0 } } } },
      { stats: {}, expect: { status: 429 } },
    ]);
  });
});
