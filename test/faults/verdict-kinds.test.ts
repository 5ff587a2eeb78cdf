/** What the lists of kinds say is true of all cases of a kind. */

import { describe, expect, test } from "vitest";
import { verdictKinds } from "../../src/faults/plan.ts";
import { bodyReplaced, unanswered } from "../../src/faults/verdict.ts";
import { cases, type Manner } from "./cases.ts";

const missing: readonly Manner[] = ["closed", "reset", "silent", "noise"];
const replaced: readonly Manner[] = ["injected", "wrong", "bodiless", "garbage", "noise"];

describe.each(verdictKinds)("%s", (kind) => {
  const manners = cases.filter(({ verdict }) => verdict.kind === kind).map(({ manner }) => manner);

  test("has a case, and its answer goes missing or is replaced as the lists say", () => {
    expect(manners, `add cases of "${kind}" to test/faults/cases.ts`).not.toEqual([]);
    expect(unanswered.includes(kind)).toBe(manners.some((manner) => missing.includes(manner)));
    expect(bodyReplaced.includes(kind)).toBe(manners.some((manner) => replaced.includes(manner)));
  });
});
