/** Reads kept exchanges: what was sent, what was credited, and which answers are the service's own. */

import { nearestMicros } from "../base/money.ts";
import { jsonObjectIn } from "../base/parse-json.ts";
import { lenientText } from "../base/text.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import {
  type EventKind,
  methodsOf,
  type Operation,
  type OperationId,
  operations,
} from "../spec/operations.ts";
import { inconclusive } from "./ensure.ts";
import type { Log } from "./log.ts";
import type { TracedExchange } from "./trace.ts";

/** A success of a recording operation. */
export interface Credit {
  readonly id: string;
  readonly micros: number;
}

/** Complete answers that no fault rule can have written. */
export function ownAnswers({ trace }: Log): readonly TracedExchange[] {
  const answers = trace.kept.filter(
    ({ outcome, at }) => outcome === "answered" && at < trace.scriptedFrom,
  );
  if (answers.length > 0) return answers;
  return inconclusive(
    trace.total === 0 ? "nothing was sent" : "fault rules may have written every answer",
  );
}

/** The service's own answers to one operation since the assumptions last changed. */
export function ownAnswersTo(operation: OperationId, log: Log): readonly TracedExchange[] {
  const since = log.trace.assumedAt ?? 0;
  return ownAnswers(log).filter(
    (exchange) => exchange.at >= since && operationOf(exchange) === operation,
  );
}

const everyOperation = Object.values<Operation>(operations);

/** The operation that answers this path and method, if any. */
export function operationOf({ method, path }: TracedExchange): OperationId | undefined {
  return everyOperation.find((one) => one.path === path && methodsOf(one).includes(method))?.id;
}

/** The parameters of a request, from query and body. An empty one counts as not sent. */
export function valuesOf({ query, body }: TracedExchange): ReadonlyMap<string, string> {
  const text = lenientText(body);
  const members = text.trimStart().startsWith("{") ? jsonObjectIn(text) : undefined;
  const inBody = members === undefined ? new URLSearchParams(text) : Object.entries(members);
  const values = new Map<string, string>();
  for (const [name, value] of [...new URLSearchParams(query), ...inBody])
    if (parameterNames.has(name) && value !== null && value !== "") values.set(name, String(value));
  return values;
}

const parameterNames: ReadonlySet<string> = new Set(
  everyOperation.flatMap(({ parameters }) => Object.keys(parameters)),
);

type Answer = Pick<TracedExchange, "status" | "text">;

/** The event that a success names; undefined for any other answer. */
export function creditOf(answer: Answer, kind: EventKind): Credit | undefined {
  if (answer.status !== 200 || answer.text === "") return undefined;
  const body = jsonObjectIn(answer.text);
  const id = body?.[`${kind}_id`];
  const inr = body?.revenue_credited_inr;
  if (typeof id !== "string" || typeof inr !== "number") return undefined;
  return { id, micros: nearestMicros(inr) };
}

/** The day of an instant as text. Uses JavaScript's dates, not the simulator's calendar, to be independent of its bugs. */
export function dayAt(instantMs: number, { "date.timezone": timezone }: Assumptions): string {
  return new Date(instantMs + offsetMs[timezone]).toISOString().slice(0, 10);
}

/** How long before midnight UTC a day begins. A day in India begins at 18:30 UTC of the day before. */
const offsetMs = { utc: 0, ist: 19_800_000 } as const;

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
