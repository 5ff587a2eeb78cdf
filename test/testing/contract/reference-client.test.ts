/** The reference client keeps the contract whatever is assumed, and whatever the network does. */

import { expect, test } from "vitest";
import type { Verdict, VerdictKind } from "../../../src/faults/verdict.ts";
import { coveringArray } from "../../../src/index.ts";
import { nonDefaultChoices } from "../../../src/spec/assumptions/resolve.ts";
import { orderRules } from "../../../src/testing/contract/rules/order-rules.ts";
import { queueRules } from "../../../src/testing/contract/rules/queue-rules.ts";
import { retryRules } from "../../../src/testing/contract/rules/retry-rules.ts";
import type { Rule } from "../../../src/testing/contract/rules/rule.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import { type Tried, tryRule } from "../../../src/testing/contract/try-rule.ts";
import { runsOf, someOf } from "../../budget.ts";
import { createReferenceDriver } from "../../client/reference-driver.ts";

/** The outcome as text; for a broken rule, why and by which commands. */
function said(tried: Tried): string {
  if (tried.kind !== "broken") return tried.kind;
  return `${tried.broken.message} ${JSON.stringify(tried.commands)}`;
}

/** It makes no promises: those rules have their own tests. */
const promised = new Set(orderRules);

test("with the defaults every rule applies and holds", async () => {
  for (const rule of rules.filter((one) => !promised.has(one))) {
    const tried = await tryRule(rule, createReferenceDriver, { runs: runsOf(20, 5) });
    expect(said(tried), rule.id).toBe("held");
  }
});

const rows = someOf(
  coveringArray({ strength: 2 }).map((assumptions, number) => ({ number, assumptions })),
);

test.each(rows)("no rule is broken under row $number of all pairs of choices", async (row) => {
  const { assumptions, number: sequenceSeed } = row;
  const chosen = JSON.stringify(nonDefaultChoices(assumptions));
  let held = 0;
  for (const rule of rules) {
    const tried = await tryRule(rule, createReferenceDriver, {
      assumptions,
      sequenceSeed,
      runs: 1,
    });
    expect(said(tried), `${rule.id} under ${chosen}`).toMatch(/^(?:held|skipped|unknown)$/);
    if (tried.kind === "held") held += 1;
  }
  // A single sequence doesn't come near every rule.
  expect(held, `rules that held under ${chosen}`).toBeGreaterThan(rules.length / 2);
});

const verdicts: Readonly<Record<VerdictKind, Verdict>> = {
  delay: { kind: "delay", delay: "4s" },
  respond: { kind: "respond", status: 503, applied: true },
  drop: { kind: "drop" },
  "lose-response": { kind: "lose-response" },
  timeout: { kind: "timeout" },
  reset: { kind: "reset" },
  empty: { kind: "empty" },
  truncate: { kind: "truncate", share: 0.5 },
  garbage: { kind: "garbage" },
  "wrong-body": { kind: "wrong-body", wrong: "ok-false", applied: false },
  drip: { kind: "drip", bytesPerSecond: 20 },
  duplicate: { kind: "duplicate", answer: "second" },
  reorder: { kind: "reorder", by: 1 },
};

/** The rule's own sequences, with this done to two of three requests from the start. */
function disturbed(rule: Rule, verdict: Verdict): Rule {
  const faults = [1, 2].map((rest) => {
    const nth = Array.from({ length: 40 }, (_, index) => 3 * index + rest);
    return { kind: "fault", rule: { match: { nth }, verdict } } as const;
  });
  return {
    ...rule,
    commands: (choices) => rule.commands(choices).map((commands) => [...faults, ...commands]),
  };
}

test.each(Object.values(verdicts))(
  "the fault $kind breaks no rule about repeats and queues",
  async (verdict) => {
    const held = [];
    for (const rule of [...retryRules, ...queueRules]) {
      const tried = await tryRule(disturbed(rule, verdict), createReferenceDriver, {
        runs: runsOf(3, 1),
      });
      expect(said(tried), rule.id).toMatch(/^(?:held|skipped|unknown)$/);
      if (tried.kind === "held") held.push(rule.id);
    }
    expect(held).toContain("no-event-doubled");
    expect(held).toContain("close-loses-nothing");
  },
);
