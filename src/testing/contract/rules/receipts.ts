/** What a client returns for an event that it reported (spec §2). */

import { nearestMicros } from "../../../base/money.ts";
import { jsonIn, memberOf } from "../../../base/parse-json.ts";
import { eventIdIn } from "../../../journal/entry-values.ts";
import type { EventKind } from "../../../spec/operations.ts";
import { mismatchOf } from "../../session/sent.ts";
import type { AdEvent } from "../../session/told.ts";
import type { Rule } from "./rule.ts";

export const receipts: Rule = {
  id: "receipts",
  says: "What the client returns for an impression or a click has the service's own id and credit",
  source: "spec §2",
  judge(told, came) {
    for (const event of told.events) {
      for (const ask of event.asks) {
        if (ask.outcome.kind !== "done") continue;
        came();
        const given = receiptIn(ask.outcome.value, event.kind);
        if (given.id === undefined && given.micros === undefined) continue;
        const known = receiptsOf(event);
        // A client that recognises a repeat by itself may return a credit of 0.
        const isOwn = ask !== event.asks[0] && !told.requests.some(({ step }) => step === ask.step);
        const isSame = known.some(
          ({ id, micros }) =>
            [undefined, id].includes(given.id) &&
            [undefined, micros, ...(isOwn ? [0] : [])].includes(given.micros),
        );
        if (!isSame)
          return `The client returned ${JSON.stringify(given)} for ${event.name}. The service answered ${known.map((one) => JSON.stringify(one)).join(", ") || "nothing"}.`;
      }
    }
    return undefined;
  },
};

/** The credit in micro-INR. A member that is null counts as unknown to the client. */
function receiptIn(value: unknown, kind: EventKind) {
  const id = memberOf(value, `${kind}_id`) ?? undefined;
  const credit = memberOf(value, "revenue_credited_inr") ?? undefined;
  return { id, micros: typeof credit === "number" ? nearestMicros(credit) : credit };
}

/** What answers said of the event, whether they arrived or not, if the client can't see that they are wrong. */
function receiptsOf({ sent, kind }: AdEvent) {
  return sent.flatMap((one) =>
    [one.got, ...one.served]
      .filter(
        (answer) => eventIdIn(answer, kind) !== undefined && mismatchOf(one, answer) === undefined,
      )
      .map((answer) => receiptIn(jsonIn(answer.body), kind)),
  );
}
