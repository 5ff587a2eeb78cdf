/** How a scenario is played in process, as far as the shipped scenarios don't show it: what a result says, and what is undecided. */

import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../src/scenario.ts";
import { passingSteps, playSteps, resultAt } from "./play-steps.ts";

const DAY = "2026-01-15";
const impression = { impression: {}, expect: { status: 200 } } as const;

describe("a request", () => {
  test("fills in the publisher's id, surface and an ad, and is shown without its key", async () => {
    const result = await passingSteps([impression]);
    expect(resultAt(result, "steps.0").exchange?.request).toMatchObject({
      method: "POST",
      path: "/v1/impression",
      headers: { authorization: "(redacted)" },
      body: expect.stringMatching(/"publisher_id":"pub_.*"surface":"srf_.*"ad_id":"ad-1"/),
    });
  });

  test("can be sent as JSON, a form or a query, which count alike", async () => {
    const result = await passingSteps([
      { ...impression, encoding: "json" },
      { ...impression, encoding: "form" },
      { ...impression, encoding: "query" },
      { expect: { stats: { from: DAY }, is: { impressions: 3 } } },
    ]);
    const [json, form, query] = result.steps.map(({ exchange }) => exchange?.request);
    expect(json?.body).toMatch(/^\{/);
    expect(form?.body).toMatch(/^publisher_id=/);
    expect(query).toMatchObject({ body: "", query: expect.stringMatching(/^publisher_id=/) });
  });

  test("has another publisher's key, an unknown one or none if the step says so", async () => {
    await passingSteps([
      { stats: {}, publisher: 1, expect: { body: { publisher_id: { ref: "publishers.1.id" } } } },
      { stats: {}, key: { ref: "publishers.1.apiKey" }, expect: { status: 403 } },
      { stats: {}, key: "odd", expect: { status: 401 } },
      { stats: {}, key: null, expect: { status: 401 } },
    ]);
  });

  test("given raw is sent as it is, and an object as JSON", async () => {
    const publisher_id = { ref: "publishers.0.id" };
    const result = await passingSteps([
      { raw: { method: "DELETE", path: "/v1/impression" }, expect: { status: 405 } },
      { raw: { method: "POST", path: "/v1/click", body: "{" }, expect: { status: 400 } },
      { raw: { method: "POST", path: "/v1/click", body: { odd: 1 } }, expect: { status: 400 } },
      {
        raw: { method: "GET", path: "/v1/publisher/stats", query: { publisher_id } },
        expect: { status: 200 },
      },
    ]);
    const { headers, body } = resultAt(result, "steps.2").exchange?.request ?? {};
    expect([headers?.["content-type"], body]).toEqual(["application/json", '{"odd":1}']);
  });

  test("without an answer leaves an expectation of its status undecided", async () => {
    const expect_ = { outcome: "lost", status: { atMost: 299 } } as const;
    const faults = [{ verdict: { kind: "drop" } }] as const;
    expect(await playSteps([{ impression: {}, expect: expect_ }], { faults })).toMatchObject({
      result: "undecided",
      why: "steps.0: no answer came: it was lost",
    });
  });

  test("whose parameter isn't known is not sent, and is undecided like all that rests on it", async () => {
    const result = await playSteps([
      { impression: {}, key: null, as: "refused" },
      { click: { impression_id: { ref: "refused.impression_id" } }, as: "clicked" },
      { expect: { answer: "clicked", status: 200 } },
    ]);
    expect(result).toMatchObject({ result: "undecided", tally: { sent: 1 } });
    const why = "refused.impression_id does not exist: there is no impression_id";
    expect(resultAt(result, "steps.1")).toMatchObject({ result: "undecided", why });
    expect(resultAt(result, "steps.2")).toMatchObject({
      result: "undecided",
      why: `clicked is undecided: ${why}`,
    });
  });
});

describe("time", () => {
  const late = { headers: { "retry-after": "99999999999999999999" } };

  test.each<[why: string, steps: Scenario["steps"]]>([
    [
      "the time is already past 2026-01-01T00:00:00Z",
      [{ advance: { to: "2026-01-01T00:00:00Z" } }],
    ],
    [
      "refused says to wait beyond the year 9999",
      [
        { fault: { verdict: { kind: "respond", status: 429, ...late } } },
        { stats: {}, as: "refused" },
        { advance: { retryAfterOf: "refused" } },
      ],
    ],
    [
      "shown has no Retry-After",
      [{ impression: {}, as: "shown" }, { advance: { retryAfterOf: "shown" } }],
    ],
  ])("an advance is undecided if %s", async (why, steps) => {
    const result = await playSteps(steps);
    expect(result.steps.at(-1)).toMatchObject({ result: "undecided", why });
  });
});

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
  [
    /^steps\.0\.repeat\.steps\.0\.advance/,
    [{ repeat: { times: 9000, steps: [{ advance: "365d" }] } }],
  ],
])("what the world can't do ends the play: %s", async (says, steps) => {
  await expect(playSteps(steps)).rejects.toThrow(
    expect.objectContaining({ name: "InputError", message: expect.stringMatching(says) }),
  );
});

describe("a fault rule", () => {
  const verdict = { kind: "respond", status: 503 } as const;
  const outage = { id: "outage", match: { operation: "impression" }, verdict } as const;
  const heal = { heal: "outage" } as const;
  const quiet = { stats: {}, expect: { status: 200 } } as const;

  test.each<[what: string, steps: Scenario["steps"], faults?: Scenario["faults"]]>([
    ["never fires", [quiet], [outage]],
    [
      "never fires, though another with its id does",
      [
        { fault: { ...outage, match: { operation: "click" } } },
        heal,
        { fault: outage },
        { impression: {}, expect: { status: 503 } },
      ],
    ],
    [
      "fires in no round of a repeat",
      [quiet, { repeat: { times: 2, steps: [{ fault: outage }, quiet, heal] } }],
    ],
  ])("that %s leaves the result undecided", async (_, steps, faults) => {
    const why = "fault rule outage never fired";
    expect(await playSteps(steps, { faults })).toMatchObject({ result: "undecided", why });
  });

  test("may fire before it is healed, in one round of a repeat, or never if it has a ttl", async () => {
    await passingSteps([{ impression: {} }, { heal: "all" }, impression], { faults: [outage] });
    // The world names it differently in each round.
    const fault = { match: { from: "2026-01-16T00:00:00Z" }, verdict } as const;
    const rounds = [{ fault }, { impression: {} }, { heal: "all" }] as const;
    await passingSteps([quiet, { repeat: { times: 2, every: "1d", steps: rounds } }]);
    const brief = { ...outage, ttl: "1m" };
    const other = { fault: { ...brief, id: "other" } };
    await passingSteps([other, { advance: "1h" }, impression], { faults: [brief] });
  });
});

describe("steps in steps", () => {
  test("a repeated step fails if one of its rounds does", async () => {
    const inner = [
      { impression: { session_id: { numbered: "s-" } } },
      { expect: { stats: { from: DAY }, is: { impressions: { not: 2 } } } },
    ] as const;
    const result = await playSteps([{ repeat: { times: 3, steps: inner } }]);
    expect(resultAt(result, "steps.0.repeat.steps.1")).toMatchObject({
      result: "failed",
      times: 3,
      checks: [{ result: "failed", about: "stats.impressions", found: "2" }],
    });
  });

  test("a repeat inside a repeat numbers its own rounds", async () => {
    const inner = [{ impression: { session_id: { numbered: "s-" } } }] as const;
    await passingSteps([
      {
        repeat: { times: 3, steps: [{ repeat: { times: 2, steps: inner } }] },
        expect: { differentIds: 2 },
      },
    ]);
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
});

test("an expectation's own requests spend no quota and aren't audited", async () => {
  const asked = { stats: {}, is: { publisher_id: { ref: "publishers.0.id" } } };
  await passingSteps([
    { repeat: { times: 60, steps: [{ stats: {} }] } },
    { repeat: { times: 3, steps: [{ expect: asked }] } },
    { expect: { audit: { total: { attempts: 0 } } } },
    { stats: {}, expect: { status: 429 } },
  ]);
});

test("of all invariants some may have had nothing to check, but one such alone is undecided", async () => {
  const result = await passingSteps([{ impression: {} }, { expect: { invariant: "all" } }]);
  const { checks } = resultAt(result, "steps.1");
  expect(checks.length).toBeGreaterThan(8);
  const about = { result: "passed", about: "invariant M1", invariant: "M1" };
  expect(checks).toContainEqual(expect.objectContaining(about));
  const alone = await playSteps([{ impression: {} }, { expect: { invariant: "A4" } }]);
  expect(alone.result).toBe("undecided");
});

describe("a result", () => {
  test("that failed shows both sides, the journal, and how to play it again", async () => {
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

  test("shows the journal with the first 20 steps that failed", async () => {
    const wrong = { impression: {}, expect: { status: 201 } };
    const { steps } = await playSteps(Array.from({ length: 30 }, () => wrong));
    expect(steps.map(({ journal = [] }) => journal.length)).toEqual([
      ...[1, 2, 3, 4, 5],
      ...Array.from({ length: 25 }, (_, place) => (place < 15 ? 6 : 0)),
    ]);
  });

  test("of a scenario that shows a defect has passed if something fails", async () => {
    const shows = { result: "failed" } as const;
    const wrong = { stats: { from: DAY }, is: { impressions: 3 } };
    const result = await playSteps([{ impression: {} }, { expect: wrong }], shows);
    expect(result).toMatchObject({
      result: "passed",
      why: "it fails, as the scenario says: stats.impressions: expected 3, found 1 (steps.1)",
      scenario: { result: "failed" },
    });
    expect(resultAt(result, "steps.1").result).toBe("failed");
    const fixed = await playSteps([impression], shows);
    expect(fixed.result).toBe("failed");
    expect(fixed.why).toContain("but the scenario says that something fails");
    // Nothing is known, so the defect didn't show.
    expect((await playSteps([{ advance: "1s" }], shows)).result).toBe("undecided");
  });

  test("is the same every time, and has another digest if a request or the seed differs", async () => {
    const steps = [impression, { advance: "1d" }, { stats: {} }] as const;
    const result = await playSteps(steps);
    expect(await playSteps(steps)).toEqual(result);
    const others = [
      await playSteps([...steps, { stats: { surface: "x" } }]),
      await playSteps(steps, { seed: "other" }),
    ];
    expect(new Set([result, ...others].map(({ digest }) => digest)).size).toBe(3);
  });

  test("of a scenario that expects nothing is undecided", async () => {
    const why = "the scenario expects nothing";
    expect(await playSteps([{ advance: "1s" }])).toMatchObject({ result: "undecided", why });
  });
});
