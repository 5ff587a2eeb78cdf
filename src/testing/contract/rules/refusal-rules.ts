/** How a client handles refusals (spec §7). */

import fc from "fast-check";
import { memberOf } from "../../../base/parse-json.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import type { Choices } from "../../../simulator/simulator-options.ts";
import { isEventKind } from "../../../spec/operations.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import { type Command, queryKinds } from "../../session/command.ts";
import type { PerformedCommand } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import {
  eventsOf,
  isOfLimit,
  isWhole,
  queriesOf,
  type SentRequest,
  sentBy,
  type Task,
} from "../../session/tasks.ts";
import { mustMatchReceipts } from "./compare-answers.ts";
import {
  advance,
  delayed,
  failed,
  fault,
  heal,
  lasting,
  limitedFor,
  next,
  refusal,
  serverError,
  some,
} from "./disturbances.ts";
import { mustKeepCallsFromRefusedKey, mustKeepQueueFromRefusedKey } from "./refused-key.ts";
import { must, type Rule } from "./rule.ts";
import {
  adView,
  apart,
  burst,
  event,
  flush,
  inTurn,
  query,
  sequence,
  stats,
  surfaces,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import { mustEnd, mustHaveNoFinding, mustNotLoseSilently } from "./shared-checks.ts";

const DAY_S = 86_400;

const shapes: readonly Choices[] = (
  ["problem", "envelope", "flat", "list", "text", "html", "empty"] as const
).map((shape) => ({ "errors.body": shape }));
/** Every shape that a refusal may have, and every status. */
const choices: readonly Choices[] = [
  ...shapes,
  { "errors.invalid": "422" } as const,
  { "auth.failure": "403" } as const,
].map((choice) => ({
  ...choice,
  // Repeats aren't refused, so a refused event is never on record.
  "dedup.repeat": "original-uncredited",
  // These cause refusals that no client can avoid.
  "click.window": "24h",
  "date.inverted-range": "reject",
}));

const refusedEvents: fc.Arbitrary<readonly Command[]> = sequence([fault(refusal, some), adView]);
/** Refused by the service itself. Some clients can foresee these refusals. */
const refusedByService: fc.Arbitrary<readonly Command[]> = fc.constantFrom<readonly Command[]>(
  [{ kind: "stats", from: "2026-02-02", to: "2026-02-01" }],
  [
    { kind: "impression", surface: 0 },
    { kind: "flush" },
    { kind: "advance", byMs: 2 * DAY_S * 1000 },
    { kind: "click", impression: 0 },
  ],
);

/** A query that is refused or fails, with any status, however often it is sent. */
const unanswered: fc.Arbitrary<readonly Command[]> = fc
  .constantFrom(...queryKinds)
  .chain((kind) =>
    inTurn(
      fault(weightedOneOf([2, refusal], [1, serverError]), next(kind)),
      fc.constant({ kind }),
      heal,
    ),
  );

const refusalIsNoSuccess: Rule = {
  id: "refusal-is-no-success",
  says: "The client doesn't report success for what the service refused, and no status that the service didn't send",
  source: "spec §7",
  assuming: choices,
  commands: () =>
    weightedOneOf(
      [8, refusedEvents],
      [3, sequenceOf(unanswered, { minLength: 1, maxLength: 4 }).map((all) => all.flat())],
      [1, refusedByService],
    ),
  judge(session) {
    mustNotLoseSilently(session);
    mustReportStatuses(session);
    let applied = 0;
    for (const task of [...eventsOf(session), ...queriesOf(session)]) {
      const last = task.sent.at(-1);
      if (last === undefined || !isRefused(last)) continue;
      applied += 1;
      if (isEventKind(task.operation)) continue;
      must(
        !task.asks.some(({ outcome }) => outcome.kind === "done"),
        () =>
          `The service refused ${task.name} with ${last.got.status}, but the client said that it was done.`,
      );
    }
    mustMatchReceipts(session);
    return applied;
  },
};

/** A refusal that arrived complete: 4xx, or a request limit's refusal with any status. */
function isRefused(sent: SentRequest): boolean {
  const { status } = sent.got;
  return isWhole(sent) && ((status >= 400 && status < 500) || isOfLimit(sent));
}

/**
 * @throws BrokenRule if an error of the client has a status that no answer had. The client may have statuses of its own for
 * requests that got no answer, and for calls that it refuses by itself.
 */
export function mustReportStatuses(session: Session): void {
  for (const task of [...eventsOf(session), ...queriesOf(session)]) {
    for (const asked of task.asks) mustReportStatus(session, task, asked);
  }
}

function mustReportStatus(
  session: Session,
  { name, sent }: Task,
  { outcome, at }: PerformedCommand,
): void {
  const status = outcome.kind === "failed" ? memberOf(outcome.error, "status") : undefined;
  // Many clients use 0 for no answer.
  if (typeof status !== "number" || status === 0 || sent.length === 0) return;
  // A client that rests after a failure may repeat what came of an earlier request.
  const all = sent.some(({ stepIndex }) => stepIndex === at) ? sent : sentBy(session);
  const statuses = [...new Set(all.map(({ got }) => got.status))];
  if (statuses.includes(0)) return;
  must(
    statuses.includes(status),
    () =>
      `The client rejected ${name} with status ${status}. The service answered ${statuses.join(", ")}.`,
  );
}

const refusalNotRepeated: Rule = {
  id: "refusal-not-repeated",
  says: "The client doesn't send a refused request again unchanged",
  source: "spec §7, RFC 9110 §15.5",
  commands: () =>
    weightedOneOf(
      [3, refusedEvents],
      [1, refusedByService],
      [1, sequence([fault(refusal, next("surfaces")), surfaces], query, 2)],
    ),
  judge: (session) => mustHaveNoFinding(session, "refused-and-sent-again", "continues-after-401"),
};

const refusedKey = { kind: "respond", status: 401 } as const;
const keyRefused: fc.Arbitrary<Verdict> = delayed(fc.constant(refusedKey));
/** The key is refused while calls wait in the client: for their turn, or for the end of a pause. */
const refusedInBurst: fc.Arbitrary<readonly Command[]> = weightedOneOf(
  [2, inTurn(fault(keyRefused, lasting), burst(adView))],
  [
    3,
    inTurn(
      // The client finds out which encoding the service reads.
      adView,
      flush,
      // The others are asked for before this answer arrives, or after that.
      fault(fc.constant({ ...refusedKey, delay: "2500ms" }), next("impression", 1)),
      fault(weightedOneOf([2, limitedFor(5)], [1, failed]), next("impression", 3)),
      fault(keyRefused, lasting),
      apart(adView, adView, adView, adView, adView),
      advance(700, 900),
      adView,
    ),
  ],
  // Others under way fail after that: their turn to be sent again comes later.
  [
    2,
    inTurn(
      ...[adView, flush, fault(keyRefused, next("impression", 1))],
      fault(fc.constant({ kind: "respond", status: 503, delay: "2500ms" }), next("impression", 2)),
      fault(keyRefused, lasting),
      ...[togetherAll(adView, adView, adView), advance(700, 900)],
    ),
  ],
);

const rotatedKey: Rule = {
  id: "rotated-key",
  says: "The client doesn't keep trying a key that is no longer valid, and reports the refusal",
  source: "spec §5",
  commands: () =>
    weightedOneOf(
      [
        5,
        sequence(
          [fault(keyRefused, fc.oneof(lasting, next("impression", 1))), adView],
          weightedOneOf([3, event], [2, advance(10, 600)], [1, flush]),
          4,
        ),
      ],
      [
        1,
        sequence(
          [fault(keyRefused, next("stats")), stats],
          weightedOneOf([3, query], [1, advance(10, 600)]),
          2,
        ),
      ],
      [2, refusedInBurst],
    ),
  judge(session) {
    mustNotLoseSilently(session);
    mustEnd(session);
    mustKeepQueueFromRefusedKey(session);
    mustKeepCallsFromRefusedKey(session);
    return mustHaveNoFinding(session, "continues-after-401");
  },
};

export const refusalRules: readonly Rule[] = [refusalIsNoSuccess, refusalNotRepeated, rotatedKey];
