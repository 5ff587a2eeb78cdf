/** Random command sequences: each answer against the oracle, each finished run against the invariants. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulator, type SimulatorOptions } from "../../src/index.ts";
import { createOracle } from "../oracle.ts";
import { checkProperty, replayPath } from "./check-property.ts";
import { type Command, command, perform, type Stage } from "./commands.ts";
import { H1 } from "./conformance.ts";
import * as invariants from "./invariants.ts";
import * as limits from "./limit-invariants.ts";
import { createMarks } from "./marks.ts";
import { createPlayer, type Run, readerOf } from "./run.ts";

const RUNS = 100;
const MOST_COMMANDS = 90;

/** Every place that the campaign has to reach for its silence to mean something. */
const places = [
  "a duplicate impression",
  "a duplicate suppressed at W-1",
  "a fresh impression at W",
  "a fresh impression at W beside a later one",
  "a second click",
  "a click on another day",
  "a click on nothing",
  "a click on a foreign impression",
  "a click with a truncated id",
  "a refusal by the limit",
  "an impression on a surface that isn't active",
  "a foreign publisher",
  "a publisher that doesn't exist",
  "a key that was rotated away",
  "an inverted period",
  "a period across a year's end",
  "a payout paid",
  "a rollover",
  "more payouts than the limit",
  "a midnight crossed",
  "a leap day",
  "a year's end crossed",
  "a sign-up",
  "a restored snapshot",
  "a fork that goes on",
  "a reset",
];

const laws = {
  M1: invariants.M1,
  M2: invariants.M2,
  M3: invariants.M3,
  M4: invariants.M4,
  M5: invariants.M5,
  M6: invariants.M6,
  S1: invariants.S1,
  S2: invariants.S2,
  S3: invariants.S3,
  S4: invariants.S4,
  S5: invariants.S5,
  S6: invariants.S6,
  S7: invariants.S7,
  D1: invariants.D1,
  D2: invariants.D2,
  D3: invariants.D3,
  D4: invariants.D4,
  D5: invariants.D5,
  L1: limits.L1,
  L4: limits.L4,
  L5: limits.L5,
  L6: limits.L6,
  L7: limits.L7,
  L8: limits.L8,
  A1: invariants.A1,
  A2: invariants.A2,
  A3: invariants.A3,
  A4: invariants.A4,
  A5: invariants.A5,
  H1,
  R1: invariants.R1,
  R2: invariants.R2,
  R3: invariants.R3,
};

const options = fc.record({
  seed: fc.constantFrom("adsim", "a", "", "🌱", "42"),
  start: fc.constantFrom(
    "2026-01-15T00:00:00Z",
    "2024-02-28T23:59:59.999Z",
    "2027-12-31T18:29:59.998Z",
    "1999-12-31T23:30:00Z",
    "2026-03-06T18:29:00Z",
  ),
  publishers: fc.integer({ min: 1, max: 3 }),
  profile: fc.constantFrom(
    "typical" as const,
    "tiny" as const,
    "tiny" as const,
    "adversarial" as const,
  ),
  assumptions: fc.record({
    "date.timezone": fc.constantFrom("utc" as const, "ist" as const),
    "auth.foreign-publisher": fc.constantFrom("403" as const, "404" as const),
    "dedup.repeat": fc.constantFrom(
      "original-uncredited" as const,
      "original-uncredited" as const,
      "original-uncredited" as const,
      "replay" as const,
      "conflict" as const,
      "count" as const,
    ),
    "click.repeat": fc.constantFrom(
      "original-uncredited" as const,
      "original-uncredited" as const,
      "replay" as const,
      "conflict" as const,
    ),
  }),
});

class Play implements fc.Command<Stage, null> {
  readonly command: Command;

  constructor(played: Command) {
    this.command = played;
  }

  check(): boolean {
    return true;
  }

  run(stage: Stage): void {
    perform(this.command, stage);
  }

  toString(): string {
    return JSON.stringify(this.command);
  }
}

type Chosen = SimulatorOptions & {
  readonly assumptions: NonNullable<SimulatorOptions["assumptions"]>;
  readonly publishers: number;
};

function stageOf(chosen: Chosen, sometimes: (place: string) => void): { stage: Stage; run(): Run } {
  const { assumptions, publishers } = chosen;
  const player = createPlayer(chosen);
  const pristine = createSimulator(chosen);
  const reader = readerOf(pristine);
  const seeded = pristine.publishers.list({ limit: publishers });
  const remembered = new Map<string, ReturnType<typeof reader.stats>>();
  const oracle = createOracle({
    publishers: seeded,
    history(id, range) {
      const known = `${id} ${JSON.stringify(range)}`;
      const nothing = { impressions: 0, clicks: 0, micros: 0, surfaces: [] };
      if (!seeded.some((one) => one.id === id)) return nothing;
      const answer = remembered.get(known) ?? reader.stats(id, range);
      remembered.set(known, answer);
      return answer;
    },
    midnightOffsetMs: assumptions["date.timezone"] === "ist" ? 5.5 * 3_600_000 : 0,
    foreignStatus: assumptions["auth.foreign-publisher"] === "404" ? 404 : 403,
    repeatedImpression: assumptions["dedup.repeat"] ?? "original-uncredited",
    repeatedClick: assumptions["click.repeat"] ?? "original-uncredited",
    sometimes,
  });
  const stage: Stage = {
    player,
    oracle,
    seeded: publishers,
    deadKeys: [],
    sometimes,
    saved: undefined,
    first: oracle.save(),
  };
  const run = (): Run => ({
    options: chosen,
    steps: player.steps,
    sim: player.sim,
    publishers: player.sim.publishers.list({ limit: 1000 }),
    pristine,
  });
  return { stage, run };
}

const name = "every answer is the oracle's and every run keeps the invariants";

test(name, { timeout: 120_000 }, () => {
  const marks = createMarks();
  const commands = fc.commands([command.map((one) => new Play(one))], {
    maxCommands: MOST_COMMANDS,
    size: "max",
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  checkProperty(
    { test: name, file: "test/properties/campaign.test.ts", runs: RUNS },
    fc.property(options, commands, (chosen, sequence) => {
      const { stage, run } = stageOf(chosen, marks.sometimes);
      fc.modelRun(() => ({ model: stage, real: null }), sequence);
      const finished = run();
      for (const law of Object.values(laws)) law(finished);
    }),
  );
  const reached = marks.report(places);
  expect(Math.min(...Object.values(reached))).toBeGreaterThan(0);
});
