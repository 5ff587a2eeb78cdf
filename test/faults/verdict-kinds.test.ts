/** Every kind of verdict has cases, and what the lists of kinds say is true of them. */

import { describe, expect, test } from "vitest";
import { verdictKinds } from "../../src/faults/plan.ts";
import { bodyReplaced } from "../../src/faults/verdict.ts";
import { cases, type Manner } from "./cases.ts";

const replaced: readonly Manner[] = ["injected", "wrong", "bodiless", "garbage", "noise"];

describe.each(verdictKinds)("%s", (kind) => {
  const manners = cases.filter(({ verdict }) => verdict.kind === kind).map(({ manner }) => manner);

  test("has a case, and its body is replaced if the list says so", () => {
    expect(manners, `add cases of "${kind}" to test/faults/cases.ts`).not.toEqual([]);
    expect(bodyReplaced.includes(kind)).toBe(manners.some((manner) => replaced.includes(manner)));
  });
});
