/** The traits of a kind of verdict are true of all cases of that kind. */

import { describe, expect, test } from "vitest";
import { verdictKinds } from "../../src/faults/plan.ts";
import { verdictTraits } from "../../src/faults/verdict-traits.ts";
import { cases, type Manner } from "./cases.ts";

const mannersThatShow: Readonly<Record<"cut" | "missing" | "replacesBody", ReadonlySet<Manner>>> = {
  cut: new Set<Manner>(["half", "head"]),
  missing: new Set<Manner>(["closed", "reset", "silent", "noise"]),
  replacesBody: new Set<Manner>(["injected", "wrong", "bodiless", "garbage", "noise"]),
};

describe.each(verdictKinds)("%s", (kind) => {
  const manners = cases.filter(({ verdict }) => verdict.kind === kind).map(({ manner }) => manner);
  const { answer, replacesBody } = verdictTraits[kind];
  const has = (shown: keyof typeof mannersThatShow) =>
    manners.some((manner) => mannersThatShow[shown].has(manner));

  test("has a case", () => {
    expect(manners, `add cases of "${kind}" to test/faults/cases.ts`).not.toEqual([]);
  });

  test("has the traits that its cases show", () => {
    const shown = has("cut") ? "cut" : has("missing") ? "missing" : undefined;
    if (shown === undefined) expect(["kept", "slow"]).toContain(answer);
    else expect(answer).toBe(shown);
    expect(replacesBody).toBe(has("replacesBody"));
  });
});
