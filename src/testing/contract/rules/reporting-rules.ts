/** How a client asks for and returns surfaces and payouts (spec §2, §4). */

import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../../base/duration.ts";
import type { Command } from "../../session/command.ts";
import { performedCommandsOfKind } from "../../session/performed-commands.ts";
import { commandInWords } from "../../session/words.ts";
import { limitsFor, problemOf } from "./answers-to.ts";
import { mustMatchAnswers } from "./compare-answers.ts";
import { must, type Rule } from "./rule.ts";
import { adView, commandsOf, pausesOf, payouts, shortPause, surfaces } from "./sequences.ts";

const surfacesAsAnswered: Rule = {
  id: "surfaces-as-answered",
  says: "The client lists surfaces as the service does, whatever their status",
  source: "spec §2, §3",
  needs: ["surfaces"],
  assuming: [{ "surface.statuses": "documented" }, { "surface.statuses": "extended" }],
  commands: () => commandsOf(surfaces, adView, shortPause),
  judge: (session) => mustMatchAnswers(session, "surfaces"),
};

const payoutsAsAnswered: Rule = {
  id: "payouts-as-answered",
  says: "The client lists payouts as the service does, paid or not, from an answer that is at most a day old",
  source: "spec §2, §3",
  needs: ["payouts"],
  assuming: (
    [
      ["documented", "empty", "newest-first", "monthly"],
      ["extended", "empty", "oldest-first", "weekly"],
      ["extended", "null", "newest-first", "weekly"],
      ["extended", "absent", "oldest-first", "monthly"],
    ] as const
  ).map(([statuses, reference, order, cycle]) => ({
    "payout.statuses": statuses,
    "payout.txn-id": reference,
    "payout.order": order,
    "payout.cycle": cycle,
  })),
  commands: () =>
    commandsOf(payouts, limitedPayouts(1, 20, 100), adView, pausesOf(HOUR_MS, DAY_MS + HOUR_MS)),
  judge: (session) => mustMatchAnswers(session, "payouts"),
};

function limitedPayouts(...limits: readonly number[]): fc.Arbitrary<Command> {
  return fc.record({ kind: fc.constant("payouts"), limit: fc.constantFrom(...limits) });
}

const payoutsLimit: Rule = {
  id: "payouts-limit",
  says: "The client sends the limit of payouts that it was given, and lists at most 100 payouts even if the limit is higher",
  source: "spec §4, §8",
  needs: ["payouts"],
  assuming: [{ "payout.limit-over-max": "reject" }, { "payout.limit-over-max": "clamp" }],
  commands: () => commandsOf(limitedPayouts(1, 20, 100, 101), payouts),
  judge(session) {
    let applied = 0;
    for (const asked of performedCommandsOfKind(session, "payouts")) {
      const { command, exchanges, outcome, together } = asked;
      const sent = exchanges.filter(({ operation }) => operation === "payouts");
      const right = limitsFor(command.limit);
      const limits = sent.map(({ values }) => values.get("limit"));
      const wrong = problemOf(
        limits.map((limit) => (right.includes(limit) ? undefined : (limit ?? "(none)"))),
        asked,
      );
      const asking = `The client was asked for ${commandInWords(command)}`;
      must(wrong === undefined, () => `${asking}, but sent limit ${wrong}.`);
      const last = together ? undefined : sent.at(-1)?.got;
      must(
        // The service refuses under payout.limit-over-max=reject.
        last === undefined || last.status === 200 || outcome.kind !== "done",
        () =>
          `${asking}. The service refused this with ${last?.status}, but the client said that it was done.`,
      );
      applied += sent.length;
    }
    mustMatchAnswers(session, "payouts");
    return applied;
  },
};

export const reportingRules: readonly Rule[] = [
  surfacesAsAnswered,
  payoutsAsAnswered,
  payoutsLimit,
];
