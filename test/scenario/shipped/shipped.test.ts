/** The scenarios that ship: all of them are there, and hold in this process, whatever the seed. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playScenarioSync, type Scenario } from "../../../src/scenario.ts";
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
const files = readdirSync(folder).sort();
const shipped = await Promise.all(
  files.map(async (file) => {
    const { scenario } = (await import(join(folder, file))) as { scenario: Scenario };
    return { file, scenario, short: shortened(scenario) };
  }),
);

test("there is one of each that is promised, and no other", () => {
  expect(files).toEqual(promised.map((name) => `${name}.ts`));
});

test("each is called as its file is, and says in its own words what it is about", () => {
  expect(shipped.map(({ scenario }) => `${scenario.name}.ts`)).toEqual(files);
  for (const { scenario } of shipped) expect(scenario.about.length).toBeGreaterThan(80);
  expect(new Set(shipped.map(({ scenario }) => scenario.about)).size).toBe(shipped.length);
});

describe.each(shipped)("$scenario.name", ({ scenario, short }) => {
  test("holds, with nothing skipped, and is data: played again from JSON it is the same", () => {
    expect(JSON.parse(JSON.stringify(scenario))).toEqual(scenario);
    const first = playScenarioSync(short);
    expect(first.tally.sent, "over HTTP it takes its time").toBeLessThanOrEqual(25_000);
    expect({ verdict: first.verdict, why: first.why, skipped: first.skipped }).toEqual({
      verdict: "held",
      why: expect.any(String),
      skipped: [],
    });
    expect(playScenarioSync(JSON.parse(JSON.stringify(short)))).toEqual(first);
  });

  test.each(["another", "third seed"])("holds with the seed %j", (seed) => {
    const { verdict, why } = playScenarioSync({ ...short, seed });
    expect({ verdict, why }).toEqual({ verdict: "held", why: expect.any(String) });
  });
});
