/** The stories over HTTP: an adsim gives the same results as this process. */

import { expect, test } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { countRequests } from "../../../src/play/scenario/parse-scenario.ts";
import { someOf } from "../../budget.ts";
import { serverFor } from "../targets/remote-world.ts";
import { storyNamed, storyNames } from "./stories.ts";

/** Over HTTP a request takes a hundred times as long. */
const MANY_REQUESTS = 700;

const stories = (await Promise.all(storyNames.map(storyNamed))).filter(
  (story) => countRequests(story) <= MANY_REQUESTS,
);

test.each(someOf(stories))("$name has the same result as in process", async (story) => {
  const { url } = await serverFor();
  const here = await playScenario(story);
  const there = await playScenario(story, { target: url });
  expect(there.digest).toBe(here.digest);
  expect({ steps: there.steps.map(seen), invariants: there.invariants }).toEqual({
    steps: here.steps.map(seen),
    invariants: here.invariants,
  });
});

/** Headers are in the digest, without those of the connection. */
function seen({ path, result, why, checks, tally, exchange }: PlayResult["steps"][number]) {
  const { outcome, status, body } = exchange ?? {};
  return { path, result, why, checks, tally, answer: [outcome, status, body] };
}
