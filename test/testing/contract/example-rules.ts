/** Rules for tests of the contract's runner, one for each thing that can come of a rule. */

import fc from "fast-check";
import { BrokenRule, type Rule } from "../../../src/testing/contract/rules/rule.ts";
import type { Command } from "../../../src/testing/session/command.ts";

const adView: Command = { kind: "impression", surface: 0 };
const clicking: Command = { kind: "click", impression: 0 };
const noise = fc.array(fc.constantFrom<Command>(adView, { kind: "advance", byMs: 1000 }), {
  maxLength: 3,
});
const losing = fc.constantFrom<Command>(
  {
    kind: "fault",
    rule: { match: { operation: "click", times: 1 }, verdict: { kind: "lose-response" } },
  },
  { kind: "heal" },
);

/** Broken by a client that repeats a click which the service may have recorded. */
const clickOnce: Rule = {
  id: "click-once",
  says: "A click that may have been recorded isn't sent again.",
  source: "spec §4",
  needs: ["click", "close"],
  assuming: [{ "click.repeat": "count" }],
  commands: () =>
    fc
      .tuple(noise, losing, noise)
      .map(([before, fault, after]) => [...before, adView, fault, clicking, ...after]),
  judge({ exchanges }) {
    const clicks = exchanges.filter(({ operation }) => operation === "click");
    const recorded = clicks.filter(({ served }) => served?.status === 200);
    if (recorded.length > 1) {
      throw new BrokenRule(
        `expected: one click on record\ninstead:  ${recorded.length} of one click of the user`,
        [{ answer: "impression-1", body: { revenue_credited_inr: -1 } }],
      );
    }
    return clicks.length;
  },
};

/** Held by any client. */
const impressionSent: Rule = {
  id: "impression-sent",
  says: "A reported ad view is sent.",
  source: "spec §3",
  commands: () => noise.map((some) => [adView, ...some]),
  judge: ({ exchanges }) => exchanges.filter(({ operation }) => operation === "impression").length,
};

/** Never applies. */
const neverSeen: Rule = {
  id: "never-seen",
  says: "What never comes up is kept.",
  source: "spec §0",
  needs: ["stats"],
  commands: () => fc.constant([]),
  judge: () => 0,
};

/** For a client that queues, which the example isn't. */
const flushed: Rule = {
  id: "flushed",
  says: "What is queued is delivered.",
  source: "spec §1",
  needs: ["flush"],
  commands: () => fc.constant([{ kind: "flush" }]),
  judge: () => 1,
};

export const exampleRules: {
  readonly [Name in "clickOnce" | "impressionSent" | "neverSeen" | "flushed"]: Rule;
} = { clickOnce, impressionSent, neverSeen, flushed };
