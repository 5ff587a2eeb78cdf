/** The stories that come with adsim: all of them are there, and pass in this process, whatever the seed. */

import { describe, expect, test } from "vitest";
import { playScenario } from "../../../src/scenario.ts";
import { someOf } from "../../budget.ts";
import { shortStory, storyNamed, storyNames } from "./stories.ts";

/** What is promised, in alphabetical order. */
const promised = [
  ...["big-numbers", "brownout", "burst-to-limit", "busy-day", "clock-skew", "default-period"],
  ...["double-click", "duplicate-storm", "flapping", "fresh-publisher", "happy-month"],
  ...["key-rotation", "leap-day", "limit-recovers", "long-payout-list", "lost-ack"],
  ...["midnight-ist", "midnight-utc", "noisy-neighbour", "payout-month-end", "reporting-limit"],
  ...["retry-after-date", "schema-drift", "session-reuse", "shutdown-flush", "surface-paused"],
  ...["thundering-herd", "unicode-names", "unknown-status", "window-edge", "wrong-publisher"],
];

test("the promised stories ship, and no others", () => {
  expect(storyNames).toEqual(promised);
});

const digests = new Map<string, string>();

describe.each(storyNames)("%s", (name) => {
  test("has its file's name and a description, and is plain data", async () => {
    const scenario = await storyNamed(name);
    expect(scenario.name).toBe(name);
    expect(scenario.about.length).toBeGreaterThan(80);
    expect(JSON.parse(JSON.stringify(scenario))).toEqual(scenario);
  });

  test("passes with nothing skipped", async () => {
    const { result, why, skipped, tally, digest } = await playScenario(await shortStory(name));
    digests.set(name, digest);
    expect(tally.sent, "over HTTP it takes its time").toBeLessThanOrEqual(25_000);
    expect({ result, why, skipped }).toMatchObject({ result: "passed", skipped: [] });
    expect(digest).toMatch(/^[0-9a-f]{8,}$/);
  });
});

test.each(someOf(storyNames))("%s has the same digest when played from JSON", async (name) => {
  const { digest } = await playScenario(JSON.parse(JSON.stringify(await shortStory(name))));
  expect(digest).toBe(digests.get(name));
});

test.each(someOf(storyNames.toReversed()))("%s passes with another seed", async (name) => {
  const { result, why } = await playScenario({ ...(await shortStory(name)), seed: "another" });
  expect({ result, why }).toMatchObject({ result: "passed" });
});
