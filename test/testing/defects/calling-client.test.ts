/** The calling client is correct: no rule may be broken by it. */

import { expect, test } from "vitest";
import { rules } from "../../../src/testing/contract/rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import { runsOf } from "../../budget.ts";
import { createCallingDriver } from "./calling-client.ts";

test.each(rules)("the calling client keeps $id, or it doesn't come up", async (rule) => {
  const tried = await tryRule(rule, createCallingDriver, { runs: runsOf(50) });
  expect(tried.kind).toBeOneOf(["held", "skipped", "unknown"]);
});
