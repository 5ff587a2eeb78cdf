/**
 * Plays random command sequences under random assumptions, and compares each answer with the oracle and each finished run with
 * the invariants. A pass means something only if the campaigns together reached every place, and every invariant judged a run.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { AssumptionKey } from "../../src/index.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { createMarks } from "../marks.ts";
import type { Choices } from "../oracle/choices.ts";
import { checkProperty, replayPath } from "./check-property.ts";
import { anyCommand, type CommandKind, usualWeights } from "./commands.ts";
import { judgeRun, turns } from "./judge-run.ts";
import { places } from "./places.ts";
import { anyOptions, lot, Play, stageOf } from "./sequence.ts";

interface Campaign {
  readonly sequences: number;
  /** However small RUNS is: the number that it takes to reach every place. */
  readonly leastSequences: number;
  /** Keys that take any of their choices; of the others only a handful is not at its default. */
  readonly about: readonly (keyof Choices)[];
  /** How often each kind of command comes, if not as often as usual. */
  readonly weights: Partial<Record<CommandKind, number>>;
  /** One request in so many is sent in an unusual way, or is wrong. */
  readonly unusualOneIn: number;
}

const campaigns: Readonly<Record<string, Campaign>> = {
  "which requests are limited": {
    sequences: 165,
    leastSequences: 20,
    about: [
      "auth.key-scope",
      "errors.body",
      "limit.algorithm",
      "limit.exceeded",
      "limit.retry-after",
      "limit.recording-pool",
      "limit.reporting-endpoints",
    ],
    weights: { flood: 16, stats: 16, impression: 14, advance: 22 },
    unusualOneIn: 6,
  },
  "what counts and what it earns": {
    sequences: 255,
    leastSequences: 30,
    about: [
      "auth.key-scope",
      "limit.algorithm",
      "dedup.key",
      "dedup.window",
      "dedup.repeat",
      "click.unknown",
      "click.repeat",
      "click.window",
      "surface.unknown",
      "surface.inactive",
      "surface.statuses",
      "money.precision",
    ],
    weights: { impression: 40, click: 24, stats: 8, "dedup-edge": 6, "click-edge": 6 },
    unusualOneIn: 12,
  },
  "every report and payout": {
    sequences: 255,
    leastSequences: 25,
    about: [
      "auth.key-scope",
      "limit.algorithm",
      "surface.unknown",
      "payout.statuses",
      "payout.limit-over-max",
      "payout.order",
      "date.timezone",
      "date.inverted-range",
      "stats.today",
      "stats.surfaces",
      "money.precision",
    ],
    weights: {
      impression: 20,
      click: 8,
      stats: 24,
      payouts: 12,
      "payout-edge": 12,
      overnight: 5,
      advance: 22,
    },
    unusualOneIn: 12,
  },
  "how each request is parsed and answered": {
    sequences: 255,
    leastSequences: 30,
    about: [
      "request.encoding",
      "request.values",
      "auth.failure",
      "auth.key-scope",
      "errors.body",
      "errors.invalid",
      "limit.algorithm",
      "click.unknown",
      "surface.unknown",
      "ids.format",
      "response.form",
    ],
    weights: { advance: 10 },
    unusualOneIn: 2,
  },
};

const marks = createMarks();
/** How many runs each invariant found to hold. A run in which it had nothing to check doesn't count. */
const judged: Record<string, number> = {};

const title = "the oracle predicts %s, and every run keeps the invariants";

test.each(Object.entries(campaigns))(title, { timeout: 240_000 }, (what, campaign) => {
  const { sequences: runs, leastSequences: leastRuns, about, weights, unusualOneIn } = campaign;
  const command = anyCommand({ ...usualWeights, ...weights }, unusualOneIn);
  const sequences = fc.commands([command.map((one) => new Play(one))], {
    maxCommands: 40,
    size: "max",
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  checkProperty(
    {
      test: title.replace("%s", what),
      file: "test/properties/campaigns.test.ts",
      runs,
      leastRuns,
    },
    fc.property(anyOptions(about), lot, sequences, (options, number, sequence) => {
      const { stage, run } = stageOf(options, marks.sometimes);
      fc.modelRun(() => ({ model: stage, real: null }), sequence);
      for (const id of judgeRun(run(), number)) judged[id] = (judged[id] ?? 0) + 1;
    }),
  );
});

test("the campaigns reached every place, and every invariant judged a run", () => {
  if (process.env.ADSIM_REPORT !== undefined) console.log(marks.report(), judged);
  marks.expectReached(places);
  expect(Object.keys(judged).sort()).toEqual(Object.keys(turns).sort());
});

test("a campaign is about every assumption except http.cors", () => {
  // The catalogue's own names are its keys. One that the oracle doesn't know is a type error here.
  const keys: readonly (keyof Choices)[] = Object.keys(catalogue) as AssumptionKey[];
  const all = Object.values(campaigns).flatMap(({ about }) => about);
  // The commands have no Origin header; test/exchange/cors.test.ts sends it.
  expect(keys.filter((key) => !all.includes(key))).toEqual(["http.cors"]);
});
