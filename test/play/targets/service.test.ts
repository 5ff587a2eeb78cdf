/** Plays at a service that isn't an adsim: publishers from credentials, real time, and what it can't do. */

import { expect, test } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import { openServiceTarget } from "../../../src/play/targets/service-target.ts";
import type { TargetOptions } from "../../../src/play/targets/target.ts";
import { readTargetUrl } from "../../../src/play/targets/target-url.ts";
import { foreign, serverFor } from "./remote-world.ts";

const credentials = [
  { id: "pub_1", apiKey: "key_aaaaaaaaaaaaa", surfaces: ["srf_1", "srf_2"] },
  { id: "pub_2", apiKey: "key_bbbbbbbbbbbbb" },
];

function opened(url: string, options: TargetOptions = {}) {
  return openServiceTarget(readTargetUrl(url), { credentials, ...options });
}

test("members are the publishers whose credentials are given, with their surfaces", async () => {
  let asked = 0;
  const url = await foreign((request, response) => {
    asked += 1;
    expect(request.url).toBe("/base/v1/publisher/surfaces?publisher_id=pub_2");
    expect(request.headers.authorization).toBe("Bearer key_bbbbbbbbbbbbb");
    response.end('{"surfaces":[{"id":"srf_9","name":"Nine","status":"paused","cpm_range":[1,2]}]}');
  });
  const target = await opened(`${url}/base/`);
  expect(await target.member(0)).toMatchObject({
    id: "pub_1",
    surfaces: [{ id: "srf_1" }, { id: "srf_2" }],
  });
  for (const _time of ["first", "second"]) {
    expect(await target.member(1)).toMatchObject({
      id: "pub_2",
      surfaces: [{ id: "srf_9", name: "Nine", status: "paused", cpmRange: [1, 2] }],
    });
  }
  expect(asked).toBe(1);
  expect(await target.member(2)).toBeUndefined();
  await target.close();
});

test("if a service doesn't list the surfaces, the error says what to do and shows no key", async () => {
  const url = await foreign((_, response) => response.writeHead(401).end("key_bbbbbbbbbbbbb"));
  const target = await opened(url);
  const refused = await Promise.resolve(target.member(1)).catch((error) => error);
  expect(refused.message).toContain(
    `can't read the surfaces of publisher pub_2 at ${url}: it answered with status 401`,
  );
  expect(refused.message).toContain("Check --api-key and --publisher");
  expect(refused.message).not.toContain("key_");
  await target.close();
});

test("a service that isn't there can't be reached: the error doesn't blame the key", async () => {
  const [, given] = credentials;
  const scenario = { name: "mine", about: "Asks.", steps: [{ stats: {} }] };
  const options = { target: "http://127.0.0.1:9", credentials: given ? [given] : [] };
  await expect(playScenario(scenario, options)).rejects.toThrow(
    /can't be reached: .*ECONNREFUSED.*Start the service, or check the address/,
  );
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
  const target = await opened("http://127.0.0.1:9", { speed: 10 });
  const beganMs = target.now();
  await target.wait(1000);
  // A timer may be a millisecond early.
  expect(target.now() - beganMs).toBeGreaterThanOrEqual(98);
  await target.close();
});

test("a wait for quota is told, and ends when the minute that the answer began is over", async () => {
  const left = ["3", "60"];
  const url = await foreign((_, response) => {
    response.setHeader("x-ratelimit-remaining", left.shift() ?? "59");
    response.end('{"surfaces":[]}');
  });
  const stop = new AbortController();
  const waits: number[] = [];
  const onWait = (ms: number): void => {
    waits.push(ms);
    stop.abort("long enough");
  };
  const stats = { stats: {}, expect: { status: 200 } };
  const play = (times: number): ReturnType<typeof playScenario> =>
    playScenario(
      { name: "reads", about: "Reads.", steps: [{ repeat: { times, steps: [stats] } }] },
      { target: url, credentials: credentials.slice(1), onWait, signal: stop.signal },
    );
  await expect(play(4)).rejects.toBe("long enough");
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(50_000);
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
