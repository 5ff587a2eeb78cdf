/**
 * What a driver may promise besides: an order of events, a number of requests at once, a number of attempts. And what a closed
 * client does.
 */

import { durationInWords } from "../../../base/duration.ts";
import { isAcknowledged, isOfEvent } from "../../session/sent.ts";
import type { Call, Sent } from "../../session/session.ts";
import type { Told } from "../../session/told.ts";
import { outcomeInWords, timeInWords } from "../../session/words.ts";
import { closingOf, hasQueue, isExcusedByItself, isUnreadable, sentFor } from "./excuses.ts";
import type { Rule } from "./rule.ts";

const inOrder: Rule = {
  id: "in-order",
  says: "Events are recorded in the order in which the client was given them, even if some have to be sent again",
  source: "the driver's inOrder",
  needs: ["inOrder"],
  judge(told, came) {
    if (!told.promised.inOrder) return undefined;
    // An event that was given twice has no place of its own.
    const given = told.calls.flatMap((call) => {
      const event = told.events.find(({ asks }) => asks.length === 1 && asks[0] === call);
      const by = event?.recorded[0]?.by;
      return event === undefined || by === undefined ? [] : [{ name: event.name, by, call }];
    });
    for (const [at, next] of given.slice(1).entries()) {
      const before = given[at];
      if (before === undefined) continue;
      if (next.call.atMs <= before.by.atMs) came();
      if (next.by.sequence < before.by.sequence)
        return `The client was given ${before.name} before ${next.name}, but ${next.name} was recorded first.`;
    }
    return undefined;
  },
};

const atOnce: Rule = {
  id: "at-once",
  says: "The client never has more requests under way at once than it declares",
  source: "the driver's maxAtOnce",
  needs: ["maxAtOnce"],
  judge({ promised: { maxAtOnce }, requests }, came) {
    if (maxAtOnce === Number.POSITIVE_INFINITY) return undefined;
    let gotMs: number[] = [];
    for (const { atMs, request, ...sent } of requests) {
      // It isn't known when the client aborted a request whose answer never came.
      gotMs = gotMs.filter((ms) => ms > atMs);
      const count = gotMs.length + 1;
      if (count > maxAtOnce)
        return `When the client sent ${request.method} ${request.path}, it had ${count} requests under way. It declares at most ${maxAtOnce} at once. A request is under way until it is answered or aborted.`;
      gotMs.push(sent.gotMs ?? atMs);
      if (gotMs.at(-1) !== atMs) came();
    }
    return undefined;
  },
};

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

export const promiseRules: readonly Rule[] = [inOrder, atOnce, attempts, closed];
