/** Compares what a client returns with what the service answered. Only members of the spec count. */

import { durationInWords } from "../../../base/duration.ts";
import { nearestMicros } from "../../../base/money.ts";
import { jsonIn, memberOf } from "../../../base/parse-json.ts";
import type { EventKind } from "../../../spec/operations.ts";
import { type JsonSchema, lenientSchemas } from "../../../spec/responses.ts";
import type { QueryKind } from "../../session/command.ts";
import { viewInWords } from "../../session/names.ts";
import {
  type PerformedCommand,
  type PerformedCommandOf,
  performedCommandsOf,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import {
  type EventTask,
  eventsOf,
  hasWrongEncoding,
  isCertainlyConfirmed,
} from "../../session/tasks.ts";
import { viewGroupsOf } from "../../session/view-groups.ts";
import type { WireExchange } from "../../session/wire-exchange.ts";
import { bodyInWords, commandInWords, outcomeInWords, timeInWords } from "../../session/words.ts";
import { ageOf, answersTo, isAnswerTo, longestAge } from "./answers-to.ts";
import { isQueueFull } from "./excuses.ts";
import { rightAnswersIn } from "./right-answers.ts";
import { BrokenRule, must } from "./rule.ts";
import { mustCountUndelivered } from "./shared-checks.ts";

/**
 * Every answer to this operation that the client returned must have the members and values of the service's answer.
 *
 * @returns how many answers were compared.
 * @throws BrokenRule
 */
export function mustMatchAnswers(session: Session, operation: QueryKind): number {
  let compared = 0;
  for (const asked of performedCommandsOfKind(session, operation)) {
    const { outcome } = asked;
    const { usable, fresh, others } = answersTo(session, asked);
    if (outcome.kind !== "done") {
      const isAnswered = fresh.length > 0 && wasAnswered(asked);
      must(
        !isAnswered,
        () => `${operation} was answered with 200, but ${outcomeInWords(outcome)}.`,
      );
      continue;
    }
    const { value } = outcome;
    const differs = (answer: WireExchange): string | undefined =>
      difference(lenientSchemas[operation], jsonIn(answer.got.body), value);
    compared += 1;
    if (usable.some((answer) => differs(answer) === undefined)) continue;
    const source = others.findLast((answer) => differs(answer) === undefined);
    if (source !== undefined) throw new BrokenRule(wrongSource(session, asked, source));
    const different = usable.map(differs).at(-1);
    throw new BrokenRule(
      different === undefined
        ? `The client returned an answer to ${operation} that the service never gave.`
        : `The answer to ${operation}: ${different}.`,
    );
  }
  return compared;
}

/** Says why the client may not return this answer of the service. */
function wrongSource(
  session: Session,
  asked: PerformedCommandOf<QueryKind>,
  source: WireExchange,
): string {
  const { kind } = asked.command;
  const sent = `the request at ${timeInWords(session, source.atMs)}`;
  const asking = `The client was asked for ${commandInWords(asked.command)}`;
  if (!isAnswerTo(source, asked, session)) {
    return `${asking}, and returned the answer to another query, ${sent}.`;
  }
  return (
    `${asking}, and returned the answer to ${sent}, which was ${durationInWords(ageOf(source, asked))} old. ` +
    `It may return ${kind === "stats" ? "figures" : kind} that are at most ${durationInWords(longestAge(session, kind))} old` +
    `${kind === "stats" ? " (staleMs)" : ""}.`
  );
}

/** Whether the service answered every request with a success, at first or in another encoding. */
export function wasAnswered({ exchanges, together }: PerformedCommand): boolean {
  return exchanges.every(
    // Of several at once it isn't known which one was sent in the wrong encoding.
    (one, at) =>
      one.fault === undefined &&
      (one.got.status === 200 || (hasWrongEncoding(one) && !together && at < exchanges.length - 1)),
  );
}

/**
 * The client must report success if the service answered with success, and must take an event for recorded then.
 *
 * @returns how many successes the client reported.
 * @throws BrokenRule
 */
export function mustUnderstand(session: Session): number {
  const groups = viewGroupsOf(session);
  const clicked = new Set<unknown>();
  let done = 0;
  for (const asked of performedCommandsOf(session)) {
    const { command, outcome, shown } = asked;
    // A client may refuse a repeat by itself.
    const isRepeat =
      command.kind === "click"
        ? clicked.has(shown)
        : command.kind === "again" || (shown !== undefined && groups.isRepeat(shown));
    if (command.kind === "click") clicked.add(shown);
    if (outcome.kind === "done") done += 1;
    else
      must(
        isRepeat || !wasAnswered(asked) || hadNoRoom(asked, session),
        () =>
          `The service refused no request for ${command.kind}, but ${outcomeInWords(outcome)}. ` +
          `Its answers: ${answersIn(asked)}.`,
      );
  }
  const events = eventsOf(session);
  mustNotSendAgain(session, events);
  mustCountUndelivered(session, events);
  return done;
}

/** @throws BrokenRule if the client sends an event again whose success it got, though nobody reported it again. */
function mustNotSendAgain(session: Session, events: readonly EventTask[]): void {
  for (const { name, asks, sent } of events) {
    const at = sent.findIndex(isCertainlyConfirmed);
    const [confirmed, next] = sent.slice(at);
    if (at < 0 || confirmed === undefined || asks.length > 1) continue;
    must(
      next === undefined,
      () =>
        `The client sent ${name} again at ${timeInWords(session, next?.atMs ?? 0)}, though the service had recorded it and said so at ` +
        `${timeInWords(session, confirmed.atMs)}: ${confirmed.got.status}${bodyInWords(confirmed.got)}.`,
    );
  }
}

/** Whether the client may have had no room for the event, as it declares. */
function hadNoRoom({ command, shown, at }: PerformedCommand, session: Session): boolean {
  const events = eventsOf(session);
  const event = events.find(
    ({ operation, asks }) =>
      (operation === "click") === (command.kind === "click") &&
      asks.some((ask) => ask.shown === shown && shown !== undefined),
  );
  return event !== undefined && isQueueFull(event, events, session, at);
}

function answersIn({ exchanges }: PerformedCommand): string {
  const answers = exchanges.map(({ got }) => `${got.status}${bodyInWords(got)}`);
  return answers.join(", ") || "nothing was sent";
}

/**
 * The client's results of impressions and clicks must have the service's own id and credit.
 *
 * @returns how many results had an id or credit to compare.
 * @throws BrokenRule
 */
export function mustMatchReceipts(session: Session): number {
  const groups = viewGroupsOf(session);
  let compared = 0;
  for (const { command, outcome, shown, exchanges } of performedCommandsOf(session)) {
    if (outcome.kind !== "done" || shown === undefined) continue;
    const operation = command.kind === "click" ? "click" : "impression";
    const given = receiptOf(outcome.value, operation);
    if (given.id === undefined && given.credit === undefined) continue;
    const isAbout = (one: WireExchange): boolean => groups.about(one)?.includes(shown) === true;
    const answers = answersAbout(session, isAbout, operation);
    // A client that recognises a repeat by itself may return a credit of 0.
    const isRepeat = command.kind !== "impression" || groups.isRepeat(shown);
    const isOwn = isRepeat && exchanges.length === 0;
    const isSame = answers.some(
      ({ id, credit }) =>
        (given.id === undefined || given.id === id) &&
        (given.credit === undefined ||
          isAmount(given.credit, credit) ||
          (isOwn && given.credit === 0)),
    );
    must(
      isSame,
      () =>
        `The client returned ${JSON.stringify(given)} for the ${operation} of ${viewInWords(shown)}. ` +
        `The service answered ${answers.map((one) => JSON.stringify(one)).join(", ") || "nothing"}.`,
    );
    compared += 1;
  }
  return compared;
}

interface Receipt {
  readonly id: unknown;
  readonly credit: unknown;
}

/** A member that is null counts as unknown to the client. */
function receiptOf(value: unknown, operation: EventKind): Receipt {
  const id = memberOf(value, `${operation}_id`) ?? undefined;
  return { id, credit: memberOf(value, "revenue_credited_inr") ?? undefined };
}

function isAmount(given: unknown, answered: unknown): boolean {
  if (typeof given !== "number" || typeof answered !== "number") return false;
  return nearestMicros(given) === nearestMicros(answered);
}

/** The service's answers to impressions of a view, or to clicks on them, whether they arrived or not. */
function answersAbout(
  { exchanges }: Session,
  isAbout: (impression: WireExchange) => boolean,
  operation: EventKind,
): readonly Receipt[] {
  const answered = (of: typeof operation, isOwn: (exchange: WireExchange) => boolean): Receipt[] =>
    exchanges
      .filter((one) => one.operation === of && isOwn(one))
      .flatMap(rightAnswersIn)
      .map((body) => receiptOf(body, of));
  const shown = answered("impression", isAbout);
  if (operation === "impression") return shown;
  const ids = new Set(shown.map(({ id }) => id));
  return answered("click", ({ values }) => ids.has(values.get("impression_id") ?? ""));
}

/** The first difference from an expected answer in words; undefined if there is none. Rows are matched by id, in any order. */
export function difference(
  schema: JsonSchema,
  expected: unknown,
  actual: unknown,
  at = "",
): string | undefined {
  const differs = (): string =>
    `${at || "it"} is ${asJson(actual)}, but the service said ${asJson(expected)}`;
  const { type, properties, items } = schema;
  if (type === "object") {
    if (typeof actual !== "object" || actual === null) return differs();
    for (const [name, member] of Object.entries(properties ?? {})) {
      const path = at === "" ? name : `${at}.${name}`;
      const found = difference(member, memberOf(expected, name), memberOf(actual, name), path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (type === "array" && Array.isArray(expected)) {
    if (!Array.isArray(actual)) return differs();
    if (actual.length !== expected.length)
      return `${at} has ${actual.length} elements, but the service gave ${expected.length}`;
    const { prefixItems } = schema;
    for (const [index, one] of expected.entries()) {
      const id = memberOf(one, "id");
      const [inner, other, name] = Array.isArray(prefixItems)
        ? [prefixItems[index], actual[index], `${at}[${index}]`]
        : [items, actual.find((row) => memberOf(row, "id") === id), `${at}[id ${asJson(id)}]`];
      const found = difference(inner ?? {}, one, other, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return isEqual(expected, actual) ? undefined : differs();
}

/** The client may leave out a member that is null, and may return anything for one that the service left out. */
function isEqual(expected: unknown, actual: unknown): boolean {
  if (expected === undefined) return true;
  if (expected === null) return actual === null || actual === undefined;
  if (typeof expected !== "number" || typeof actual !== "number") return expected === actual;
  return nearestMicros(expected) === nearestMicros(actual);
}

function asJson(value: unknown): string {
  return JSON.stringify(value) ?? "missing";
}
