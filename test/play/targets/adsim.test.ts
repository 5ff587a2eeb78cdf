/** A play at an adsim over HTTP is the same as in this process: what the client sees, and what the world becomes. */

import { expect, test } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import type { Scenario, Step } from "../../../src/scenario.ts";
import { cases, type Verdict } from "../../faults/cases.ts";
import { serverFor, tellingLate } from "./remote-world.ts";

const everyKindOfStep: Scenario = {
  name: "every-kind",
  about: "Every kind of step, and what is asked of a copy.",
  ...{ seed: "other", publishers: 3, start: "2026-03-01T00:00:00Z" },
  faults: [{ id: "slow", match: { operation: "payouts" }, verdict: { kind: "delay", delay: 5 } }],
  steps: [
    { signUp: { name: "Ünï", surfaces: ["One", { name: "Two", status: "paused" }] }, as: "uni" },
    { impression: {}, publisher: "uni", as: "shown", expect: { status: 200 } },
    { impression: { surface: { ref: "uni.surfaces.1.id" } }, publisher: "uni" },
    { rotateKey: { publisher: 2 }, as: "keys" },
    { stats: {}, publisher: 2, key: { ref: "keys.oldKey" }, expect: { status: 401 } },
    { setSurface: { publisher: 1, status: "paused", cpmRange: [1, 2] } },
    { assume: {} },
    { assume: { "dedup.repeat": "conflict" } },
    { fault: { id: "gone", match: { operation: "click" }, verdict: { kind: "drop" } } },
    { click: { impression_id: { ref: "shown.impression_id" } }, publisher: "uni" },
    { heal: ["gone"] },
    { payouts: {} },
    { heal: "all" },
    { parallel: { times: 3, steps: [{ impression: { session_id: "s" } }, { stats: {} }] } },
    { advance: "36h" },
    {
      traffic: {
        for: "10s",
        arrivals: { kind: "poisson", rate: "20/s" },
        clicks: { rate: 0.5, after: "1s" },
      },
      as: "load",
    },
    { expect: { stats: { from: "2026-03-01" }, publisher: "uni", is: { impressions: 1 } } },
    { expect: { surfaces: {}, publisher: 1, is: { surfaces: { some: { status: "paused" } } } } },
    { expect: { audit: { balanced: true, total: { lost: 0 } } } },
    { expect: { invariant: "all" } },
  ],
};

const silent: ReadonlySet<unknown> = new Set(
  cases.filter(({ manner }) => manner === "silent").map(({ verdict }) => verdict),
);
const delay = "20s";
/** For these a client gives up. */
const late: readonly Verdict[] = [
  { kind: "delay", delay },
  { kind: "respond", status: 503, applied: true, delay },
  { kind: "lose-response", delay },
  { kind: "truncate", share: 0.5, delay },
  { kind: "drip", bytesPerSecond: 1 },
  { kind: "duplicate", answer: "second", delay },
  { kind: "reorder", by: 9, atMost: delay },
];

function struckBy(verdict: Verdict, timeout: string): Step[] {
  return [
    { fault: { match: { times: 1 }, verdict } },
    { impression: {}, timeout: silent.has(verdict) ? "300ms" : timeout },
  ];
}

const everyVerdict: Scenario = {
  name: "every-verdict",
  about: "What a client sees of each, and when it gives up on what is held back for too long.",
  steps: [
    ...cases.flatMap(({ verdict }) => struckBy(verdict, "1s")),
    ...late.flatMap((verdict) => struckBy(verdict, "60ms")),
    ...struckBy({ kind: "reorder", by: 3, atMost: "50ms" }, "1s"),
    ...struckBy({ kind: "respond", status: 500, body: "\ufeff{}" }, "1s"),
    { expect: { audit: { balanced: true } } },
  ],
};

/** What doesn't depend on where it was played. */
function seen({ digest, tally, steps, invariants, skipped }: PlayResult): unknown {
  const shown = steps.map(({ path, result, checks, exchange }) => [
    ...[path, result, checks],
    ...[exchange?.outcome, exchange?.status, exchange?.body],
  ]);
  return { digest, tally, shown, invariants, skipped };
}

test.each([everyKindOfStep, everyVerdict])("$name is the same as in process", async (scenario) => {
  const { url } = await serverFor({ explain: true });
  const here = await playScenario(scenario);
  const there = await playScenario(scenario, { target: url });
  expect(seen(there)).toEqual(seen(here));
  expect(here.result, here.why).toBe("passed");
  expect(there.target).toMatchObject({ kind: "adsim", url: `${url}/@${scenario.name}` });
});

const once: Scenario = {
  name: "once",
  about: "Asks once.",
  seed: "new",
  steps: [{ impression: {}, expect: { status: 200 } }],
};

test("a world that the URL names is replaced, its journal and numbering included, and its clock stands", async () => {
  const server = await serverFor({ clock: "flowing" });
  const world = server.worlds.get("mine");
  world.publishers.signUp();
  world.faults.add({ verdict: { kind: "reset" } });
  world.handle({ method: "GET", path: "/nowhere" });
  const wrong = { ...once, steps: [{ impression: {}, expect: { status: 201 } }] };
  const { steps, target } = await playScenario(wrong, { target: `${server.url}/@mine/` });
  expect(target.url).toBe(`${server.url}/@mine`);
  expect(steps[0]?.journal).toMatchObject([{ sequence: 1, operation: "impression" }]);
  expect(world.seed).toBe("new");
  expect(world.clock.mode).toBe("frozen");
  expect(server.worlds.names().sort()).toEqual(["default", "mine"]);
});

test("two plays at once in two worlds don't disturb each other", async () => {
  const { url } = await serverFor();
  const plays = ["one", "two"].map(async (seed) => {
    const steps: Step[] = [{ repeat: { times: 50, steps: [{ impression: {} }] } }];
    const scenario = { ...once, name: seed, seed, steps };
    return [await playScenario(scenario, { target: url }), await playScenario(scenario)];
  });
  for (const [there, here] of await Promise.all(plays)) expect(there?.digest).toBe(here?.digest);
});

test("paced, the clock moves as in virtual time, and real time passes too", async () => {
  const { url } = await serverFor();
  const scenario = { ...once, steps: [...once.steps, { advance: "20s" }] };
  const beganMs = performance.now();
  const paced = await playScenario(scenario, { target: url, speed: 100 });
  // A timer may be a millisecond early.
  expect(performance.now() - beganMs).toBeGreaterThan(195);
  expect(paced.target).toMatchObject({ time: "paced", speed: 100 });
  expect(paced.endedAt).toBe((await playScenario(scenario)).endedAt);
});

test("a client that gives up waits until the server notices", async () => {
  const server = await serverFor();
  const target = await tellingLate(server.url, 150);
  const scenario: Scenario = {
    ...once,
    steps: [
      ...struckBy({ kind: "delay", delay: "20s" }, "60ms"),
      { expect: { audit: { total: { lost: 1 } } } },
    ],
  };
  expect(await playScenario(scenario, { target })).toMatchObject({ result: "passed" });
});

const drop = { id: "a", verdict: { kind: "drop" } };
test.each<[field: string, steps: readonly object[]]>([
  ["steps.0.assume.dedup.repeat", [{ assume: { "dedup.repeat": "never" } }]],
  ["steps.0.repeat.steps.0.fault.id", [{ repeat: { times: 2, steps: [{ fault: drop }] } }]],
  // In process it is named by its value, over HTTP by the server's own field.
  ["steps.0.heal.", [{ heal: "storm" }]],
])("a refusal names the step as in process: %s", async (field, steps) => {
  const { url } = await serverFor();
  for (const options of [{}, { target: url }]) {
    const playing = playScenario({ ...once, steps }, options);
    const named = { name: "InputError", field: expect.stringContaining(field) };
    await expect(playing).rejects.toMatchObject(named);
  }
});
