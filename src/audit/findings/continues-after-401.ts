/** Finds requests with credentials that the service has refused. */

import { type Attempt, isServed } from "./attempt.ts";
import { cameAfterText, type FindingKind, type Offence } from "./finding.ts";
import { type SentAfter, sentAfter } from "./sent-after.ts";

export const continuesAfter401: FindingKind = {
  title: "Requests with an API key that was refused",
  explanation:
    "The API key was refused, and the client sent more requests with it. None of them can succeed, so a good client stops until it gets another key.",
  spec: "§5",
  find(attempts) {
    const offences: Offence[] = [];
    const refusals = new Map<string, { cause: Attempt; when: SentAfter }>();
    for (const attempt of attempts) {
      const { credentials, outcome, record } = attempt;
      // Without an operation, the service doesn't check the key.
      if (record.operation === undefined) continue;
      const refusal = refusals.get(credentials);
      const when = refusal?.when(attempt) ?? "no";
      if (refusal !== undefined && when !== "no") {
        const detail = `${cameAfterText(refusal.cause, attempt)} with the same key`;
        offences.push({ attempt, cause: refusal.cause, detail, isDoubtful: when === "perhaps" });
      }
      if (isServed(attempt)) refusals.delete(credentials);
      else if (outcome === "unauthorized" && refusal === undefined)
        refusals.set(credentials, { cause: attempt, when: sentAfter(attempt) });
    }
    return offences;
  },
};
