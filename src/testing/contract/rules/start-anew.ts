/** The pauses of a back-off grow while requests fail. After a success the next one is as short as the first. */

import { isPauseChosen, pauseMs } from "../../../audit/findings/attempts.ts";
import { durationInWords } from "../../../base/duration.ts";
import type { Session } from "../../session/session.ts";
import {
  eventsOf,
  isAcknowledged,
  isOfEvent,
  type SentRequest,
  sentBy,
} from "../../session/tasks.ts";
import { must } from "./rule.ts";

/** So many requests have to succeed in a row. A client may shorten its pauses little by little. */
const SUCCESSES = 2;
/** The pauses have grown if the longest is at least this many times as long as the first `FIRST` on average. */
const GROWTH = 8;
const FIRST = 4;
/** The pauses before this many aren't judged. */
const LEAST = 16;
/** A pause is as long as the grown ones if it is at least this share of the longest. */
const SHARE = 0.5;
/** Fewer such pauses can be chance. */
const MIN_LONG = 3;

interface Pause {
  readonly name: string;
  readonly ms: number;
  readonly endMs: number;
  /** Whether it followed the event's first failure, and `SUCCESSES` requests before that succeeded. */
  readonly isAfterSuccess: boolean;
}

/**
 * We simulated a correct client two million times, with four events and four pauses each in a session. With full jitter it broke
 * this once in 5,000 sessions if the bound of its pauses doubles, and at most once in 100,000 if it trebles or more. With
 * other jitter it never did. The more events, the rarer it is.
 *
 * @throws BrokenRule
 * @returns how often the client could have made an overlong pause.
 */
export function mustStartAnew(session: Session): number {
  const pauses = pausesOf(session);
  const firstMs = pauses.slice(0, FIRST).reduce((sum, { ms }) => sum + ms, 0) / FIRST;
  let applied = 0;
  let longCount = 0;
  for (const [at, { name, ms, isAfterSuccess }] of pauses.entries()) {
    if (!isAfterSuccess || at < LEAST) continue;
    const longestMs = Math.max(...pauses.slice(0, at).map((one) => one.ms));
    if (longestMs < GROWTH * firstMs) continue;
    applied += 1;
    if (ms >= SHARE * longestMs) longCount += 1;
    must(
      longCount < MIN_LONG,
      () =>
        `The client's pauses grew from about ${durationInWords(firstMs)} to ${durationInWords(longestMs)} while requests failed. ` +
        `Then at least ${SUCCESSES} requests in a row succeeded, but when ${name} failed once after that, the client waited ${durationInWords(ms)}. A success ends a back-off.`,
    );
  }
  return applied;
}

/** Those that the client chose before it sent an event again, in the order in which they ended. */
function pausesOf(session: Session): Pause[] {
  const sent = sentBy(session).filter(isOfEvent);
  const places = new Map(sent.map(({ sequence }, place) => [sequence, place]));
  const isAfterSuccess = ({ sequence }: SentRequest): boolean => {
    const place = places.get(sequence) ?? 0;
    return place >= SUCCESSES && sent.slice(place - SUCCESSES, place).every(isAcknowledged);
  };
  return eventsOf(session, sent)
    .flatMap(({ name, sent: own }) =>
      own.flatMap((one, at): Pause[] => {
        const before = own[at - 1];
        if (before === undefined || hasLetTimePass(session, before, one)) return [];
        const ms = isPauseChosen(before.attempt) ? pauseMs(before.attempt, one.attempt) : undefined;
        if (ms === undefined) return [];
        return [{ name, ms, endMs: one.atMs, isAfterSuccess: at === 1 && isAfterSuccess(before) }];
      }),
    )
    .sort((one, other) => one.endMs - other.endMs);
}

/** Whether the time between the two passed by command, so that it isn't a pause of the client's own. */
function hasLetTimePass({ steps }: Session, before: SentRequest, next: SentRequest): boolean {
  return steps
    .slice(before.stepIndex + 1, next.stepIndex + 1)
    .some(({ command: { kind } }) => kind === "advance" || kind === "afterwards");
}
