/** What a closed client does, and how often a client tries that declares it. */

import { durationInWords } from "../../../base/duration.ts";
import { isAcknowledged, isOfEvent } from "../../session/sent.ts";
import type { Call, Sent } from "../../session/session.ts";
import type { Told } from "../../session/told.ts";
import { outcomeInWords, timeInWords } from "../../session/words.ts";
import { closingOf, hasQueue, isExcusedByItself, isUnreadable, sentFor } from "./excuses.ts";
import type { Rule } from "./rule.ts";

const attempts: Rule = {
  id: "attempts",
  says: "A call fails only after as many attempts as the client declares (maxAttempts), unless the service refuses the event",
  source: "the driver's maxAttempts",
  needs: ["maxAttempts"],
  judge(told, came) {
    if (isUnreadable(told)) return undefined;
    const { maxAttempts } = told.promised;
    const closed = closingOf(told)?.step ?? Number.MAX_VALUE;
    for (const event of told.events) {
      const [ask, ...others] = event.asks;
      if (ask === undefined || others.length > 0 || ask.isTogether || ask.step >= closed) continue;
      const sent = sentFor(event, ask);
      // What it doesn't send at all, it may have no room for, or hold back in an outage.
      if (sent.every(isAcknowledged) || isExcusedByItself(event, told, ask)) continue;
      came();
      if (ask.outcome.kind !== "failed" || sent.length >= maxAttempts) continue;
      return `The client was given ${event.name}, and ${outcomeInWords(ask.outcome)}. Attempts: ${sent.length}. It declares ${maxAttempts}.`;
    }
    return undefined;
  },
};

const closed: Rule = {
  id: "closed",
  says: "A closed client sends nothing more, even if it is used again, and leaves no timer behind, so that its process can end",
  source: "spec §1",
  needs: ["close"],
  judge(told, came) {
    const closing = closingOf(told);
    if (closing === undefined) return undefined;
    came();
    return sentAfterClosing(told, closing) ?? closedEarly(told) ?? timersLeft(told, closing);
  },
};

/** Queries that the client is asked after it was closed don't count: a driver may join two clients, of which one can't be closed. */
function sentAfterClosing(told: Told, { step: closingStep }: Call): string | undefined {
  const used = new Set(told.calls.map(({ step }) => step));
  const later = told.requests.filter(
    (one) =>
      one.step > closingStep && (used.has(one.step) ? isOfEvent(one) && hasQueue(told) : true),
  );
  const [first] = later;
  if (first === undefined) return undefined;
  return `The client was closed, and then sent ${later.length} more requests within an hour. The first was ${nameOf(first)}.`;
}

function nameOf({ request }: Sent): string {
  return `${request.method} ${request.path}`;
}

/** A call that closes the client may not succeed while another one still sends. */
function closedEarly(told: Told): string | undefined {
  for (const call of hasQueue(told) ? told.calls : []) {
    if (call.command.kind !== "close" || call.outcome.kind !== "done") continue;
    // A driver may join two clients: one for events, and one for queries that can't be closed.
    const later = told.requests.find(
      (one) => one.step === call.step && one.atMs > call.endMs && isOfEvent(one),
    );
    if (later !== undefined)
      return `A call to close the client succeeded at ${timeInWords(told, call.endMs)}. The client sent ${nameOf(later)} after that, at ${timeInWords(told, later.atMs)}.`;
  }
  return undefined;
}

function timersLeft({ timersLeft: left }: Told, { endMs }: Call): string | undefined {
  if (left.length === 0) return undefined;
  return `A second after the client was closed it still had pending timers: ${left.length}. The last one fires ${durationInWords(Math.max(...left) - endMs)} after the closing. A pending timer keeps a Node process alive: clear it, or call its unref().`;
}

export const closingRules: readonly Rule[] = [attempts, closed];
