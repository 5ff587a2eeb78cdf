/**
 * Faults do to the books what they claim (R6, R7): in random worlds, with random rules and clients, the test keeps the truth
 * by itself and compares books and audit with it. ADSIM_REPORT prints how often each place was reached.
 */

import fc from "fast-check";
import { test } from "vitest";
import { createMarks } from "../marks.ts";
import { checkProperty } from "./check-property.ts";
import { anyCommands, anyRules, anyWorld, rulesThatNeverFire } from "./faults/commands.ts";
import { judge, judgeSameness } from "./faults/judge.ts";
import { perform } from "./faults/perform.ts";
import { land, stageOf } from "./faults/stage.ts";

const file = "test/properties/faults.test.ts";
const truth =
  "a fault before the service has no effect, a lost answer has one, and the audit tells them apart";

test(truth, { timeout: 240_000 }, () => {
  const marks = createMarks();
  checkProperty(
    { test: truth, file, runs: 3000, leastRuns: 1000 },
    fc.property(anyWorld, anyRules, anyCommands, (world, rules, commands) => {
      const stage = stageOf(world, rules, marks.sometimes);
      for (const command of commands) perform(command, stage);
      land(stage);
      judge(stage);
    }),
  );
  marks.expectReached([
    "fired: delay",
    "fired: respond",
    "fired: drop",
    "fired: lose-response",
    "fired: timeout",
    "fired: reset",
    "fired: empty",
    "fired: truncate",
    "fired: garbage",
    "fired: wrong-body",
    "fired: drip",
    "fired: duplicate",
    "fired: reorder",
    "an impression lost, its retry suppressed",
    "an impression lost, its retry doubled",
    "an impression dropped, its retry applied",
    "a click lost, its retry suppressed",
    "a click lost, its retry doubled",
    "a click dropped, its retry applied",
    "a duplicate doubled",
    "a duplicate suppressed or refused",
    "undelivered long after",
    "a limiter's refusal under a rule",
    "a restored snapshot with counts",
    "a fork with counts",
    "nothing lost or doubled",
    "something lost or doubled",
    "impressions lost",
    "impressions doubled or unknown",
    "clicks lost",
    "clicks doubled or unknown",
    "revenueInr lost",
    "revenueInr doubled or unknown",
  ]);
  if (process.env.ADSIM_REPORT !== undefined) console.log(marks.report().text);
});

const never = "rules that never fire change no answer, no journal entry and no state";

test(never, { timeout: 240_000 }, () => {
  const marks = createMarks();
  checkProperty(
    { test: never, file, runs: 1000 },
    fc.property(anyWorld, rulesThatNeverFire, anyCommands, (world, rules, commands) => {
      const assumptions = { ...world.assumptions, "money.precision": "exact" as const };
      const stage = stageOf({ ...world, assumptions }, rules, marks.sometimes);
      const all = commands.filter(({ kind }) => kind !== "add" && kind !== "remove");
      for (const command of all) perform(command, stage);
      const looked = stage.sim.faults.list().some(({ seen }) => seen > 0);
      marks.sometimes(looked ? "a request that was looked at" : "no request that was looked at");
      judgeSameness(stage);
    }),
  );
  marks.expectReached(["a request that was looked at", "a restored snapshot with counts"]);
});
