/** Which of the service's answers a client may return for a query. */

import { DAY_MS } from "../../../base/duration.ts";
import { addDays, dayAt } from "../../../invariants/answers.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import { operations } from "../../../spec/operations.ts";
import { type QueryKind, queryOf } from "../../session/command.ts";
import {
  type PerformedCommandOf,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { isAcknowledged } from "../../session/tasks.ts";
import type { WireExchange } from "../../session/wire-exchange.ts";

type Asked = PerformedCommandOf<QueryKind>;

export interface KnownAnswers {
  /** Those that the client may return. */
  readonly usable: readonly WireExchange[];
  /** Those to exactly this query that came while the client was being asked. */
  readonly fresh: readonly WireExchange[];
  /** The client may not return these: they are too old, or answers to other queries. */
  readonly others: readonly WireExchange[];
}

/**
 * The service's answers to this operation up to now. Besides the fresh ones, a client may return an earlier answer to
 * exactly this query:
 *
 * - Statistics may be as old as the client promises (`staleMs`) when it returns them. That holds whatever has happened
 *   since: events, a failure, or midnight. So a client that keeps figures for a minute may still return yesterday's
 *   default period in the first minute of a day; later it may not.
 * - Payouts may be a day old, or as old as statistics if the client promises that these may be older. Each event changes
 *   what is pending, but neither the spec nor the client says how recent payouts have to be.
 * - Surfaces may be of any age: they hardly ever change.
 */
export function answersTo(session: Session, asked: Asked): KnownAnswers {
  const known = session.steps
    .slice(0, asked.at + 1)
    .flatMap(({ exchanges }) => exchanges)
    .filter((one) => one.operation === asked.command.kind && isAcknowledged(one));
  const ownSequences = new Set(asked.exchanges.map(({ sequence }) => sequence));
  const came = known.filter(({ sequence }) => ownSequences.has(sequence));
  const fresh = came.filter((one) => isAnswerTo(one, asked, session));
  // Other rules judge what a client asks for. Of several queries at once it isn't known which request is for which.
  const usableNow = fresh.length > 0 || asked.together ? fresh : came;
  const usable = known.filter((one) =>
    ownSequences.has(one.sequence)
      ? usableNow.includes(one)
      : isAnswerTo(one, asked, session) &&
        ageOf(one, asked) <= longestAge(session, asked.command.kind),
  );
  return { usable, fresh, others: known.filter((one) => !usable.includes(one)) };
}

/**
 * What the client sent for this query. If it has an answer already, it may also repeat an earlier query to keep those
 * figures recent: such requests are left out.
 */
export function requestsFor(session: Session, asked: Asked): readonly WireExchange[] {
  const { at, command, exchanges } = asked;
  const sent = exchanges.filter(({ operation }) => operation === command.kind);
  const isRight = (one: WireExchange): boolean => isAnswerTo(one, asked, session);
  const earlier = performedCommandsOfKind(session, command.kind).filter((one) => one.at < at);
  const repeats = sent.filter((one) =>
    earlier.some((before) => !isRight(one) && isAnswerTo(one, before, session)),
  );
  if (repeats.length === 0 || !answersTo(session, asked).usable.some(isRight)) return sent;
  return sent.filter((one) => !repeats.includes(one));
}

/**
 * The first problem of the requests for a query, one entry each. Of several queries at once it isn't known which request is
 * for which, so one without a problem is enough.
 */
export function problemOf(
  problems: readonly (string | undefined)[],
  { together }: Pick<Asked, "together">,
): string | undefined {
  if (together && problems.includes(undefined)) return undefined;
  return problems.find((one) => one !== undefined);
}

/** How old the answer was when the client returned it, in milliseconds. */
export function ageOf({ atMs, fault }: WireExchange, asked: Asked): number {
  // Commands at once end together, so it isn't known when one of them did.
  const returnedMs = asked.together ? asked.atMs : asked.endMs;
  return returnedMs - atMs - (fault?.delayMs ?? 0);
}

/** How old an answer may be that the client returns, in milliseconds. */
export function longestAge({ sim, promised }: Session, operation: QueryKind): number {
  // In real time a pause moves the service's clock and not the machine's, so the client can't know how old its figures are.
  if (sim.clock.mode !== "frozen" || operation === "surfaces") return Number.POSITIVE_INFINITY;
  return operation === "stats" ? promised.staleMs : Math.max(DAY_MS, promised.staleMs);
}

/** Whether the request was for exactly this query. */
export function isAnswerTo(
  exchange: WireExchange,
  asked: Asked,
  { surfaces, assumptions }: Session,
): boolean {
  const { command } = asked;
  const { values } = exchange;
  switch (command.kind) {
    case "surfaces":
      return true;
    case "payouts":
      return limitsFor(command.limit).includes(values.get("limit"));
    case "stats":
      return (
        values.get("surface") === queryOf(command, surfaces).surface &&
        periodProblem(exchange, { ...asked, command }, assumptions) === undefined
      );
  }
}

/** If no day was asked for, the request has none or the default, by the choice of date.timezone. */
export function periodProblem(
  { values, atMs }: WireExchange,
  { command, atMs: askedMs }: PerformedCommandOf<"stats">,
  assumptions: Assumptions,
): string | undefined {
  // A client that waits before it sends may have computed the default earlier.
  const todays = [dayAt(askedMs, assumptions), dayAt(atMs, assumptions)];
  const defaults = { from: todays.map((today) => addDays(today, -30)), to: todays };
  for (const name of ["from", "to"] as const) {
    const sent = values.get(name);
    const wanted = command[name];
    const right = wanted === undefined ? [undefined, ...defaults[name]] : [wanted];
    if (right.includes(sent)) continue;
    const expected =
      wanted ??
      `none, or the default: ${defaults[name].at(-1)}, by ${assumptions["date.timezone"].toUpperCase()}`;
    return `${name} was sent as ${JSON.stringify(sent) ?? "nothing"}, expected ${expected}`;
  }
  return undefined;
}

const { default: usual, maximum } = operations.payouts.parameters.limit;

/** The limits that may be sent. Instead of a limit above the maximum, a client may send the maximum. */
export function limitsFor(limit: number | undefined): readonly (string | undefined)[] {
  if (limit === undefined) return [undefined, String(usual)];
  return limit > maximum ? [String(limit), String(maximum)] : [String(limit)];
}
