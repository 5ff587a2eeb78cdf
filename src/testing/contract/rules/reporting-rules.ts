/** How a client asks for and returns surfaces and payouts (spec §2, §4). */

import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../../base/duration.ts";
import { operations } from "../../../spec/operations.ts";
import type { ClientCommand } from "../../session/command.ts";
import { performedCommandsOfKind } from "../../session/performed-commands.ts";
import { commandInWords, outcomeInWords } from "../../session/words.ts";
import { limitsFor } from "./answers-to.ts";
import { mustMatchAnswers, wasAnswered } from "./compare-answers.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  commandsOf,
  pausesOf,
  payouts,
  shortPause,
  surfaces,
  togetherAll,
} from "./sequences.ts";

const surfacesAsAnswered: Rule = {
  id: "surfaces-as-answered",
  says: "The client lists surfaces as the service does, whatever their status",
  source: "spec §2, §3",
  needs: ["surfaces"],
  assuming: [{ "surface.statuses": "documented" }, { "surface.statuses": "extended" }],
  commands: () => commandsOf(surfaces, adView, shortPause),
  judge: (session) => mustMatchAnswers(session, "surfaces"),
};

function limitedPayouts(...limits: readonly number[]): fc.Arbitrary<ClientCommand> {
  return fc.record({ kind: fc.constant("payouts"), limit: fc.constantFrom(...limits) });
}

const validPayouts: fc.Arbitrary<ClientCommand> = fc.oneof(payouts, limitedPayouts(1, 20, 100));

const payoutsAsAnswered: Rule = {
  id: "payouts-as-answered",
  says: "The client lists payouts as the service does, paid or not, from an answer that is at most a day old",
  source: "spec §2, §3",
  needs: ["payouts"],
  assuming: (
    [
      ["documented", "newest-first"],
      ["extended", "oldest-first"],
      ["extended-without-txn", "newest-first"],
    ] as const
  ).map(([statuses, order]) => ({ "payout.statuses": statuses, "payout.order": order })),
  // After a month without ad views nothing is pending.
  commands: () =>
    commandsOf(validPayouts, adView, pausesOf(HOUR_MS, DAY_MS + HOUR_MS, 30 * DAY_MS)),
  judge: (session) => mustMatchAnswers(session, "payouts"),
};

const payoutsLimit: Rule = {
  id: "payouts-limit",
  says: "The client sends the limit of payouts that it was given and returns the list for that limit, with at most 100 payouts even if the limit is higher",
  source: "spec §4, §8",
  needs: ["payouts"],
  assuming: [{ "payout.limit-over-max": "reject" }, { "payout.limit-over-max": "clamp" }],
  commands: () =>
    commandsOf(
      limitedPayouts(1, 20, 100, 101, 7, 99),
      payouts,
      togetherAll(validPayouts, validPayouts),
    ),
  judge(session) {
    let applied = 0;
    for (const asked of performedCommandsOfKind(session, "payouts")) {
      const { command, exchanges, outcome, together } = asked;
      const sent = exchanges.filter(({ operation }) => operation === "payouts");
      const right = limitsFor(command.limit);
      // Of several at once it isn't known which request is for which. Their results are judged below.
      const limits = together ? [] : sent.map(({ values }) => values.get("limit"));
      const wrong = limits.find((limit) => !right.includes(limit));
      const asking = `The client was asked for ${commandInWords(command)}`;
      must(
        limits.every((limit) => right.includes(limit)),
        () => `${asking}, but sent limit ${wrong ?? "(none)"}.`,
      );
      const last = together ? undefined : sent.at(-1)?.got;
      must(
        // The service refuses under payout.limit-over-max=reject.
        last === undefined || last.status === 200 || outcome.kind !== "done",
        () =>
          `${asking}. The service refused this with ${last?.status}, but the client said that it was done.`,
      );
      must(
        outcome.kind === "done" || !wasAnswered(asked) || !isValid(command.limit),
        () =>
          `${asking}. It ${sent.length > 0 ? "got them" : "sent nothing"}, and ${outcomeInWords(outcome)}.`,
      );
      applied += sent.length;
    }
    mustMatchAnswers(session, "payouts");
    return applied;
  },
};

/** A client may refuse other limits by itself. */
function isValid(limit: number | undefined): boolean {
  return limit === undefined || limit <= operations.payouts.parameters.limit.maximum;
}

export const reportingRules: readonly Rule[] = [
  surfacesAsAnswered,
  payoutsAsAnswered,
  payoutsLimit,
];
