/** The scenarios that ship: all of them are there, and hold in this process, whatever the seed. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playScenario } from "../../../src/play/play-scenario.ts";
import type { Scenario } from "../../../src/scenario.ts";
import { someOf } from "../../budget.ts";
import { shortened } from "./shortened.ts";

/** What is promised, in alphabetical order. */
const promised = [
  "big-numbers",
  "brownout",
  "burst-to-limit",
  "busy-day",
  "click-first",
  "clock-skew",
  "dedup-edge",
  "default-period",
  "double-click",
  "duplicate-storm",
  "flapping",
  "fresh-publisher",
  "garbage-bodies",
  "happy-month",
  "key-rotation",
  "late-click",
  "leap-day",
  "limit-as-html",
  "limit-no-hint",
  "limit-recovers",
  "long-payout-list",
  "lost-ack",
  "midnight-ist",
  "midnight-utc",
  "noisy-neighbour",
  "orphan-click",
  "payout-month-end",
  "reporting-limit",
  "retry-after-date",
  "schema-drift",
  "session-reuse",
  "shutdown-flush",
  "slow-ack",
  "slow-drip",
  "surface-paused",
  "thundering-herd",
  "tiny-amounts",
  "truncated-json",
  "unicode-names",
  "unknown-status",
  "window-edge",
  "wrong-publisher",
  "year-end",
];

const folder = join(import.meta.dirname, "../../../scenarios");
const files = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .sort();
const names = files.map((file) => file.replace(/\.ts$/, ""));

async function shipped(name: string): Promise<{ scenario: Scenario; short: Scenario }> {
  const module: unknown = await import(join(folder, `${name}.ts`));
  const { scenario } = module as { scenario: Scenario };
  return { scenario, short: shortened(scenario) };
}

test("the promised scenarios ship, and no others", () => {
  expect(names).toEqual(promised);
});

const digests = new Map<string, string>();

describe.each(names)("%s", (name) => {
  test("has its file's name and a description, and is plain data", async () => {
    const { scenario } = await shipped(name);
    expect(scenario.name).toBe(name);
    expect(scenario.about.length).toBeGreaterThan(80);
    expect(JSON.parse(JSON.stringify(scenario))).toEqual(scenario);
  });

  test("holds with nothing skipped", async () => {
    const { short } = await shipped(name);
    const first = await playScenario(short);
    digests.set(name, first.digest);
    expect(first.tally.sent, "over HTTP it takes its time").toBeLessThanOrEqual(25_000);
    expect({ result: first.result, why: first.why, skipped: first.skipped }).toEqual({
      result: "passed",
      why: expect.any(String),
      skipped: [],
    });
    expect(first.digest).toMatch(/^[0-9a-f]{8,}$/);
  });
});

test.each(someOf(names))("%s has the same digest when played from JSON", async (name) => {
  const { short } = await shipped(name);
  const { digest } = await playScenario(JSON.parse(JSON.stringify(short)));
  expect(digest).toBe(digests.get(name) ?? (await playScenario(short)).digest);
});

test.each(someOf(names.toReversed()))("%s holds with another seed", async (name) => {
  const { short } = await shipped(name);
  const { result, why } = await playScenario({ ...short, seed: "another" });
  expect({ result, why }).toEqual({ result: "passed", why: expect.any(String) });
});
