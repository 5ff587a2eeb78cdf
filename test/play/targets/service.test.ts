/** Plays at a service that isn't an adsim: publishers from credentials, real time, and what it can't do. */

import { expect, onTestFinished, test } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import { openServiceTarget } from "../../../src/play/targets/service-target.ts";
import { readTargetUrl } from "../../../src/play/targets/target.ts";
import { foreign, serverFor } from "./remote-world.ts";

const credentials = [
  { id: "pub_1", apiKey: "key_aaaaaaaaaaaaa", surfaces: ["srf_1", "srf_2"] },
  { id: "pub_2", apiKey: "key_bbbbbbbbbbbbb" },
];

async function opened(url: string, speed = 1) {
  const target = await openServiceTarget(readTargetUrl(url), { credentials, speed });
  onTestFinished(target.close);
  return target;
}

test("members are the publishers whose credentials are given; their surfaces are asked for once", async () => {
  const asked: unknown[] = [];
  const url = await foreign(({ url: path, headers }, response) => {
    asked.push([path, headers.authorization]);
    response.end('{"surfaces":[{"id":"srf_9","name":"Nine","status":"paused","cpm_range":[1,2]}]}');
  });
  const target = await opened(`${url}/base/`);
  const [first, second] = [await target.member(0), await target.member(1)];
  expect(first).toMatchObject({ id: "pub_1", surfaces: [{ id: "srf_1" }, { id: "srf_2" }] });
  const surface = { id: "srf_9", name: "Nine", status: "paused", cpmRange: [1, 2] };
  expect(second).toMatchObject({ id: "pub_2", surfaces: [surface] });
  expect([await target.member(1), await target.member(2)]).toEqual([second, undefined]);
  const path = "/base/v1/publisher/surfaces?publisher_id=pub_2";
  expect(asked).toEqual([[path, "Bearer key_bbbbbbbbbbbbb"]]);
});

test.each([
  [401, "key_bbbbbbbbbbbbb"],
  [200, '{"surfaces":[{"name":"Nine"}]}'],
  [200, '["surfaces"]'],
])(
  "if a service answers %d %s, the error says what to do and shows no key",
  async (status, body) => {
    const url = await foreign((_, response) => response.writeHead(status).end(body));
    const target = await opened(url);
    const refused = await Promise.resolve(target.member(1)).catch((error) => error);
    const how = status === 200 ? "status 200, but no list of surfaces" : "status 401";
    expect(refused.message).toBe(
      `adsim can't read the surfaces of publisher pub_2 at ${url}: it answered with ${how}. Check --target (the part before /v1), --api-key and --publisher, or name its surfaces by --surface.`,
    );
  },
);

test("a service that isn't there can't be reached: the error doesn't blame the key", async () => {
  const target = await opened("http://127.0.0.1:9");
  const refused = await Promise.resolve(target.member(1)).catch((error) => error);
  expect(refused.message).toMatch(/can't be reached: .*ECONNREFUSED.*Start the service/);
});

test("requests at one instant are in flight together", async () => {
  const waiting: (() => void)[] = [];
  const url = await foreign((_, response) => {
    waiting.push(() => response.end("{}"));
    // No request is answered before all have arrived.
    if (waiting.length === 100) for (const answer of waiting) answer();
  });
  const scenario = {
    name: "together",
    about: "A hundred at once.",
    steps: [
      { parallel: { times: 100, steps: [{ impression: {} }] }, expect: { sent: 100, ok: 100 } },
    ],
  };
  const { steps, runId, target } = await playScenario(scenario, { target: url, credentials });
  expect(steps.at(-1)).toMatchObject({ kind: "parallel", result: "passed" });
  expect(runId).toMatch(/^[0-9a-f]{8}$/);
  expect(target).toEqual({ kind: "service", url, time: "real", speed: 1 });
});

test("waiting takes real time, divided by the speed", async () => {
  const target = await opened("http://127.0.0.1:9", 10);
  const beganMs = target.now();
  await target.wait(1000);
  // A timer may be a millisecond early.
  expect(target.now() - beganMs).toBeGreaterThanOrEqual(98);
});

const shown = { impression: {}, expect: { status: 200 } };
const fault = { id: "twice", match: { operation: "click" }, verdict: { kind: "duplicate" } };

/** An adsim that is played like any other service. */
async function service() {
  const { url: target, worlds } = await serverFor();
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const credentials = [{ id, apiKey }];
  return {
    worlds,
    play: (steps: readonly object[], more: object = {}): ReturnType<typeof playScenario> =>
      playScenario({ name: "mine", about: "Asked.", ...more, steps }, { target, credentials }),
  };
}

test("what only an adsim can do is skipped, and the result is undecided", async () => {
  const { play } = await service();
  expect((await play([shown])).result).toBe("passed");
  const result = await play([shown], { faults: [fault] });
  expect(result.result).toBe("undecided");
  const why = "only an adsim that accepts control requests can do that";
  expect(result.skipped).toEqual([{ path: "faults.0", why }]);
  expect(result.why).toContain("faults.0 was skipped");
  expect(await play([shown], { assumptions: { "dedup.repeat": "conflict" } })).toMatchObject({
    result: "undecided",
    skipped: [{ path: "assumptions" }],
  });
});

test("a play whose first step is skipped stops there", async () => {
  const { play } = await service();
  const result = await play([{ fault }, shown], { expectations: [{ invariant: "all" }] });
  expect(result).toMatchObject({ result: "undecided", tally: { sent: 0 } });
  expect(result.steps.map(({ path }) => path)).toEqual(["steps.0"]);
});

test("a failed expectation is undecided after a skipped step, and failed before it", async () => {
  const { play, worlds } = await service();
  // What a correct service answers, and this one doesn't.
  const wrong = { stats: {}, expect: { status: 200 } };
  const verdict = { kind: "respond", status: 404 } as const;
  worlds.get("default").faults.add({ match: { operation: "stats" }, verdict });
  const after = await play([shown, { fault }, wrong]);
  expect(after).toMatchObject({ result: "undecided", skipped: [{ path: "steps.1" }] });
  expect(after.steps.at(-1)?.why).toBe("steps.1 was skipped, which may be the cause");
  expect((await play([wrong, { fault }])).result).toBe("failed");
});

test("a signal ends a play whose target has never answered", async () => {
  const ending = new AbortController();
  // The target is asked whether it is an adsim, and never answers.
  const target = await foreign(() => ending.abort("enough"));
  const scenario = { name: "mine", about: "Asked once.", steps: [shown] };
  const playing = playScenario(scenario, { target, signal: ending.signal });
  await expect(playing).rejects.toBe("enough");
});

test.each([
  ["a wait at an adsim", { advance: "1h" }, false],
  [
    "traffic at a service",
    { traffic: { for: "50s", arrivals: { kind: "constant", rate: "1/s" } } },
    true,
  ],
])("a signal ends %s", async (_, step, isService) => {
  const { url: target, worlds } = await serverFor();
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const ending = new AbortController();
  const scenario = { name: "mine", about: "Takes long.", steps: [shown, step] };
  const playing = playScenario(scenario, {
    ...{ target, speed: 1, signal: ending.signal },
    ...(isService && { credentials: [{ id, apiKey }] }),
    onStep: (index) => void (index === 1 && setTimeout(() => ending.abort("enough"), 50)),
  });
  await expect(playing).rejects.toBe("enough");
});
