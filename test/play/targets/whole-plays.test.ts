/** Plays at a target from the first request to the result: what a service can't do, and who gives up on it. */

import { expect, test } from "vitest";
import { playScenario } from "../../../src/play/targets/play-scenario.ts";
import { foreign, serverFor } from "./remote-world.ts";

const shown = { impression: {}, expect: { status: 200 } };
const fault = {
  id: "twice",
  match: { operation: "impression" },
  verdict: { kind: "duplicate" },
};

test("fault rules of the scenario's world are skipped at a foreign service, and nobody knows", async () => {
  const { url: target, worlds } = await serverFor();
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const credentials = [{ id, apiKey }];
  const scenario = { name: "mine", about: "Asked once.", steps: [shown] };
  expect((await playScenario(scenario, { target, credentials })).verdict).toBe("held");

  const result = await playScenario({ ...scenario, faults: [fault] }, { target, credentials });
  expect(result.verdict).toBe("unknown");
  expect(result.skipped).toEqual([
    { path: "faults.0", why: "only an adsim with its control API open can do that" },
  ]);
  expect(result.why).toContain("faults.0 was skipped");
});

test("what isn't as expected after a skip is unknown, before it it is broken", async () => {
  const { url: target, worlds } = await serverFor();
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const play = (steps: readonly object[], more: object = {}): ReturnType<typeof playScenario> =>
    playScenario(
      { name: "mine", about: "Asked.", ...more, steps },
      { target, credentials: [{ id, apiKey }] },
    );
  const wrong = { stats: {}, expect: { status: 201 } };
  const after = await play([shown, { fault }, wrong]);
  expect(after).toMatchObject({ verdict: "unknown", skipped: [{ path: "steps.1" }] });
  expect(after.steps.at(-1)?.why).toBe("steps.1 was skipped, which may have caused this");
  expect((await play([wrong, { fault }])).verdict).toBe("broken");
  expect(await play([shown], { assumptions: { "dedup.repeat": "conflict" } })).toMatchObject({
    verdict: "unknown",
    skipped: [{ path: "assumptions" }],
  });
});

test("a signal ends a play whose target has never answered", async () => {
  const ending = new AbortController();
  // It has been asked whether it is an adsim, and keeps silent.
  const target = await foreign(() => ending.abort("enough"));
  const playing = playScenario(
    { name: "mine", about: "Asked once.", steps: [shown] },
    { target, signal: ending.signal },
  );
  await expect(playing).rejects.toBe("enough");
});
