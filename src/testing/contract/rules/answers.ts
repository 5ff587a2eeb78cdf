/** What a client makes of the service's answers, and what it returns for an event that it reported (spec §2, §4, §7). */

import { parseDay } from "../../../base/calendar.ts";
import { DAY_MS, durationInWords } from "../../../base/duration.ts";
import { nearestMicros } from "../../../base/money.ts";
import { jsonIn, memberOf } from "../../../base/parse-json.ts";
import { addDays, dayAt } from "../../../invariants/answers.ts";
import { eventIdIn } from "../../../journal/entry.ts";
import { type EventKind, operations } from "../../../spec/operations.ts";
import { type JsonSchema, lenientSchemas } from "../../../spec/responses.ts";
import { type ClientCommand, type QueryKind, queryKinds, queryOf } from "../../session/command.ts";
import {
  confirms,
  hasWrongEncoding,
  isAcknowledged,
  mismatchOf,
  rightAnswerIn,
} from "../../session/sent.ts";
import type { Call, Sent } from "../../session/session.ts";
import type { AdEvent, Told } from "../../session/told.ts";
import { commandInWords, outcomeInWords, valueInWords } from "../../session/words.ts";
import { calmSinceMs } from "./delivers.ts";
import { closingOf, hasQueue } from "./excuses.ts";
import type { Rule } from "./rule.ts";

/** A call for figures or a list. */
type Query = Call & { readonly command: Extract<ClientCommand, { kind: QueryKind }> };

export function isQuery(call: Call): call is Query {
  return queryKinds.some((kind) => kind === call.command.kind);
}

const answers: Rule = {
  id: "answers",
  says: "A query resolves with the service's answer to exactly this query, to the micro-INR, and no older than the client promises (staleMs); it fails only if the service fails",
  source: "spec §2, §4, §8",
  needs: ["stats"],
  judge(told, came) {
    const calmMs = calmSinceMs(told);
    for (const query of told.calls.filter(isQuery)) {
      const { outcome } = query;
      if (outcome.kind === "done") {
        came();
        const found = wrongResult(told, query, outcome.value);
        if (found !== undefined) return found;
      } else if (outcome.kind === "failed") {
        const found = needlessFailure(told, query, calmMs);
        if (found !== undefined) return found;
      }
      if (query.later !== undefined)
        return `The client's ${query.command.kind} resolved with ${outcome.kind === "done" ? valueInWords(outcome.value) : ""}, and later that was ${valueInWords(query.later)}.`;
    }
    return undefined;
  },
};

/** What is wrong with a result: it has to be a right answer to this query, and not too old. */
function wrongResult(told: Told, query: Query, value: unknown): string | undefined {
  const { command } = query;
  const longestMs = longestAge(told, command.kind);
  const differences = told.requests
    .filter((sent) => sent.step <= query.step && isAnswerTo(sent, query, told))
    .filter(
      ({ step, atMs, gotMs = atMs }) => step === query.step || query.endMs - gotMs <= longestMs,
    )
    .map((sent) => difference(lenientSchemas[command.kind], rightAnswerIn(sent), value));
  if (differences.includes(undefined)) return undefined;
  const asking = `The client was asked for ${commandInWords(command)}`;
  const last = differences.at(-1);
  if (last !== undefined) return `${asking}, and in its result ${last}.`;
  const before = Number.isFinite(longestMs)
    ? `, and none in the ${durationInWords(longestMs)} before`
    : "";
  return `${asking}, and returned ${valueInWords(value)}. It got no right answer to this query meanwhile${before}.`;
}

/**
 * Statistics may be as old as the client promises, payouts a day (each event changes what is pending, but nobody says how recent
 * they have to be), and surfaces of any age: they hardly ever change.
 */
function longestAge({ isReal, promised }: Told, kind: QueryKind): number {
  // In real time a pause moves the service's clock and not the machine's, so the client can't know how old its figures are.
  if (isReal || kind === "surfaces") return Number.POSITIVE_INFINITY;
  return kind === "stats" ? promised.staleMs : Math.max(DAY_MS, promised.staleMs);
}

/** Whether the client got a right answer to exactly this query. */
function isAnswerTo(sent: Sent, query: Query, { world, assumptions }: Told): boolean {
  const { command } = query;
  const { values, atMs, operation } = sent;
  if (operation !== command.kind || rightAnswerIn(sent) === undefined) return false;
  if (command.kind === "surfaces") return true;
  if (command.kind === "payouts") return limitsFor(command.limit).includes(values.limit);
  if (values.surface !== queryOf(command, world.surfaces).surface) return false;
  // The default period is today and the 30 days before. A client that waits before it sends may have computed it earlier.
  const todays = [dayAt(query.atMs, assumptions), dayAt(atMs, assumptions)];
  const from = command.from ?? [undefined, ...todays.map((today) => addDays(today, -30))];
  const to = command.to ?? [undefined, ...todays];
  return [from].flat().includes(values.from) && [to].flat().includes(values.to);
}

const { default: usual, maximum } = operations.payouts.parameters.limit;

/** The limits that may be sent. Instead of a limit above the maximum, a client may send the maximum. */
function limitsFor(limit: number | undefined): readonly (string | undefined)[] {
  if (limit === undefined) return [undefined, String(usual)];
  return limit > maximum ? [String(limit), String(maximum)] : [String(limit)];
}

/** A query failed although the service answered it at once, or has worked for long. */
function needlessFailure(told: Told, query: Query, calmMs: number | undefined): string | undefined {
  const { command, outcome, step, atMs, isTogether } = query;
  const asking = `The client was asked for ${commandInWords(command)}`;
  const closing = closingOf(told)?.step ?? Number.MAX_VALUE;
  if (step >= closing || !isOrdinary(query, told)) return undefined;
  const sent = told.requests.filter((one) => one.step === step);
  const own = sent.filter((one) => one.operation === command.kind);
  const isAnswered = own.some((one) => isAnswerTo(one, query, told) && isAcknowledged(one));
  const isUndisturbed = sent.every(
    (one, at) =>
      one.fault === undefined &&
      (one.got.status === 200 || (hasWrongEncoding(one) && !isTogether && at < sent.length - 1)),
  );
  if (isAnswered && isUndisturbed)
    return `${asking}, and the service answered. But ${outcomeInWords(outcome)}.`;
  const isRefused = own.some((one) => one.got.status !== 200);
  if (calmMs === undefined || atMs < calmMs || isRefused) return undefined;
  return `${asking}. The service works, and nothing has gone wrong for long, but ${outcomeInWords(outcome)}.`;
}

/** Whether it is valid under every choice. A client may refuse others by itself. */
export function isOrdinary(
  { command, atMs }: Pick<Query, "command" | "atMs">,
  { assumptions }: Told,
): boolean {
  if (command.kind === "payouts") return command.limit === undefined || command.limit <= maximum;
  if (command.kind === "surfaces") return true;
  const today = dayAt(atMs, assumptions);
  const from = command.from ?? addDays(today, -30);
  const to = command.to ?? today;
  return [from, to].every((day) => parseDay(day) !== undefined) && from <= to && to <= today;
}

/** The first difference from an expected answer in words; undefined if there is none. Rows are matched by id, in any order. */
function difference(
  schema: JsonSchema,
  expected: unknown,
  actual: unknown,
  at = "",
): string | undefined {
  const differs = (): string =>
    `${at || "all"} is ${asJson(actual)}, but the service said ${asJson(expected)}`;
  const { type, properties, items, prefixItems } = schema;
  if (type === "object") {
    if (typeof actual !== "object" || actual === null) return differs();
    for (const [name, member] of Object.entries(properties ?? {})) {
      const path = at === "" ? name : `${at}.${name}`;
      const found = difference(member, memberOf(expected, name), memberOf(actual, name), path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (type !== "array" || !Array.isArray(expected))
    return isEqual(expected, actual) ? undefined : differs();
  if (!Array.isArray(actual)) return differs();
  if (actual.length !== expected.length)
    return `${at} has ${actual.length} elements, but the service gave ${expected.length}`;
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

const wrongAnswers: Rule = {
  id: "wrong-answers",
  says: "A refusal, an answer that is cut off or unreadable, and one that isn't what the spec describes confirm nothing; the client reports no status that the service didn't send",
  source: "spec §2, §4, §7",
  judge(told, came) {
    if (told.requests.some((one) => !isAcknowledged(one))) came();
    for (const event of told.events) {
      const found = takenForSuccess(told, event);
      if (found !== undefined) return found;
    }
    return wrongStatus(told);
  },
};

/** Without a queue, a call that resolves says that the service confirmed the event. */
function takenForSuccess(told: Told, { asks, sent, kind, name }: AdEvent): string | undefined {
  if (hasQueue(told) || sent.length === 0 || sent.some(confirms)) return undefined;
  if (!asks.some(({ outcome }) => outcome.kind === "done")) return undefined;
  return `The client reported ${name} as delivered, but no answer to the ${kind} says so.`;
}

/** The client may have statuses of its own for requests that got no answer, and for calls that it refuses by itself. */
function wrongStatus(told: Told): string | undefined {
  for (const call of told.calls) {
    const { command, shown, outcome, step } = call;
    const status = outcome.kind === "failed" ? memberOf(outcome.error, "status") : undefined;
    const sent = isQuery(call)
      ? told.requests.filter(
          (one) => one.operation === command.kind && one.step === step && !call.isTogether,
        )
      : told.events.flatMap((event) => (event.asks.includes(call) ? event.sent : []));
    // Many clients use 0 for no answer.
    if (typeof status !== "number" || status === 0 || sent.length === 0) continue;
    // A client that rests after a failure, or stops with a refused key, may repeat what came of another request.
    const before = told.requests.filter((one) => one.step <= step);
    const known = [...before, ...sent].map(({ got }) => got.status);
    if (known.includes(0) || known.includes(status)) continue;
    return `The client rejected ${commandInWords(command, shown)} with status ${status}. The service answered ${[...new Set(known)].join(", ")}.`;
  }
  return undefined;
}

const receipts: Rule = {
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

export const answerRules: readonly Rule[] = [answers, wrongAnswers, receipts];
