/** Plays at a target from the first request to the result: what a service can't do, and giving up on one. */

import { expect, test } from "vitest";
import { playScenario } from "../../../src/play/targets/play-scenario.ts";
import { foreign, serverFor } from "./remote-world.ts";

const shown = { impression: {}, expect: { status: 200 } };
const fault = {
  id: "twice",
  match: { operation: "impression" },
  verdict: { kind: "duplicate" },
};

test("fault rules of the scenario's world are skipped at a foreign service, and the result is unknown", async () => {
  const { url: target, worlds } = await serverFor();
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const credentials = [{ id, apiKey }];
  const scenario = { name: "mine", about: "Asked once.", steps: [shown] };
  expect((await playScenario(scenario, { target, credentials })).result).toBe("passed");

  const result = await playScenario({ ...scenario, faults: [fault] }, { target, credentials });
  expect(result.result).toBe("undecided");
  expect(result.skipped).toEqual([
    { path: "faults.0", why: "only an adsim that accepts control requests can do that" },
  ]);
  expect(result.why).toContain("faults.0 was skipped");
});

test("a failed expectation is unknown after a skipped step, and broken before it", async () => {
  const { url: target, worlds } = await serverFor();
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const play = (steps: readonly object[], more: object = {}): ReturnType<typeof playScenario> =>
    playScenario(
      { name: "mine", about: "Asked.", ...more, steps },
      { target, credentials: [{ id, apiKey }] },
    );
  // What a correct service answers, and this one doesn't.
  const wrong = { stats: {}, expect: { status: 200 } };
  const verdict = { kind: "respond", status: 404 } as const;
  worlds.get("default").faults.add({ match: { operation: "stats" }, verdict });
  const after = await play([shown, { fault }, wrong]);
  expect(after).toMatchObject({ result: "undecided", skipped: [{ path: "steps.1" }] });
  expect(after.steps.at(-1)?.why).toBe("steps.1 was skipped, which may be the cause");
  expect((await play([wrong, { fault }])).result).toBe("failed");
  expect(await play([shown], { assumptions: { "dedup.repeat": "conflict" } })).toMatchObject({
    result: "undecided",
    skipped: [{ path: "assumptions" }],
  });
});

test("a signal ends a play whose target has never answered", async () => {
  const ending = new AbortController();
  // The target is asked whether it is an adsim, and never answers.
  const target = await foreign(() => ending.abort("enough"));
  const playing = playScenario(
    { name: "mine", about: "Asked once.", steps: [shown] },
    { target, signal: ending.signal },
  );
  await expect(playing).rejects.toBe("enough");
});
