/**
 * Faults do to the ledger what they claim (R6, R7): in random worlds, with random rules and clients, the test keeps the truth
 * by itself and compares state and audit with it.
 */

import fc from "fast-check";
import { test } from "vitest";
import { createMarks } from "../marks.ts";
import { checkProperty } from "./check-property.ts";
import { anyCommands, anyRules, anyWorld } from "./faults/commands.ts";
import { perform } from "./faults/perform.ts";
import { judge, land, stageOf } from "./faults/stage.ts";

const truth =
  "a fault before the service has no effect, a lost answer has one, and the audit tells them apart";

test(truth, { timeout: 240_000 }, () => {
  const marks = createMarks();
  checkProperty(
    { test: truth, file: "test/properties/faults.test.ts", runs: 3000, leastRuns: 300 },
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
    "the retry of a lost impression: applied",
    "the retry of a lost impression: duplicatesSuppressed",
    "the retry of a lost click: duplicatesSuppressed",
    "the copy: applied",
    "the copy: duplicatesSuppressed",
    "undelivered long after",
    "a restored snapshot with counts",
    "a fork with counts",
  ]);
});
