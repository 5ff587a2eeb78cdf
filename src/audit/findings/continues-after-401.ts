/** Finds requests with credentials that the service has refused. */

import { type Attempt, type AttemptHistory, isServed } from "./attempts.ts";
import { cameAfterText, type FindingKind, type Offence } from "./finding.ts";

export const continuesAfter401: FindingKind = {
  title: "Requests with an API key that was refused",
  explanation:
    "The API key was refused, and the client sent more requests with it. None of them can succeed, so a good client stops until it gets another key.",
  spec: "§5",
  find: offencesIn,
  opportunityCount: ({ attempts }) =>
    attempts.filter(({ outcome }) => outcome === "unauthorized").length,
};

function offencesIn({ attempts, sentAfter, isRequestedAgain }: AttemptHistory): Offence[] {
  const offences: Offence[] = [];
  const refused = new Map<string, { readonly by: Attempt; isSentAfter(next: Attempt): boolean }>();
  for (const attempt of attempts) {
    const { credentials, outcome, record } = attempt;
    // Without an operation, the service doesn't check the key.
    if (record.operation === undefined) continue;
    const before = refused.get(credentials);
    const isSentAfter = before?.isSentAfter(attempt) ?? false;
    const known = before === undefined || isRequestedAgain(before.by, attempt) ? undefined : before;
    if (known !== undefined && isSentAfter) {
      offences.push({
        attempt,
        cause: known.by,
        detail: `${cameAfterText(known.by, attempt)} with the same key`,
      });
    }
    if (isServed(attempt)) refused.delete(credentials);
    if (outcome === "unauthorized" && known === undefined) {
      refused.set(credentials, { by: attempt, isSentAfter: sentAfter(attempt) });
    }
  }
  return offences;
}
