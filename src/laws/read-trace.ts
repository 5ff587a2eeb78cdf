/** Reads kept exchanges: what was sent, who sent it, what was credited, and which answers are the service's own. */

import { nearestMicros } from "../base/money.ts";
import { jsonObjectIn } from "../base/parse-json.ts";
import { lenientText } from "../base/text.ts";
import { headerOf } from "../exchange/headers.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import {
  type EventKind,
  isEventKind,
  methodsOf,
  type Operation,
  type OperationId,
  operations,
} from "../spec/operations.ts";
import { inconclusive, knownReadingsOf, type LawContext, steadyReadingsOf } from "./law.ts";
import type { TracedExchange, TraceReader } from "./trace.ts";

/** A success of a recording operation. */
export interface Credit {
  readonly id: string;
  readonly micros: number;
}

/** Complete answers that no fault rule can have written. */
export function ownAnswers({ trace }: LawContext): readonly TracedExchange[] {
  const answers = trace.kept.filter(
    ({ outcome, at }) => outcome === "answered" && at < trace.scriptedFrom,
  );
  if (answers.length > 0) return answers;
  return inconclusive(
    trace.total === 0 ? "nothing was sent" : "fault rules may have written every answer",
  );
}

/** The service's own answers to one operation since the assumptions last changed. */
export function ownAnswersTo(
  operation: OperationId,
  played: LawContext,
): readonly TracedExchange[] {
  knownReadingsOf(played);
  const since = played.trace.assumedAt ?? 0;
  return ownAnswers(played).filter(
    (exchange) => exchange.at >= since && operationOf(exchange) === operation,
  );
}

/**
 * The exchanges from the start up to the first fault rule or missing answer. They tell the client everything that the
 * service did.
 */
export function undisturbedExchanges({
  trace,
  isExactTime,
}: LawContext): readonly TracedExchange[] {
  if (trace.total === 0) inconclusive("nothing was sent");
  if (!isExactTime) inconclusive("real time doesn't show a request's exact millisecond");
  const clean = trace.kept.slice(0, trace.disturbedFrom);
  const lost = clean.findIndex(({ outcome }) => outcome !== "answered");
  const known = lost === -1 ? clean : clean.slice(0, lost);
  return known.length > 0
    ? known
    : inconclusive("fault rules were in force, so answers don't show what reached the service");
}

const everyOperation = Object.values<Operation>(operations);

/** The operation that answers this path and method, if any. */
export function operationOf({ method, path }: TracedExchange): OperationId | undefined {
  return everyOperation.find((one) => one.path === path && methodsOf(one).includes(method))?.id;
}

/** The key of a request as the service reads it; empty if there is none. */
export function keyOf({ headers }: TracedExchange): string {
  return /^bearer +(\S+)$/i.exec(headerOf(headers, "authorization")?.trim() ?? "")?.[1] ?? "";
}

/** Id of the publisher whose key it was at that exchange. */
export function callerOf({ keys }: TraceReader, key: string, at: number): string | undefined {
  const known = keys.get(key);
  return known !== undefined && at < known.until ? known.publisher : undefined;
}

/** The publisher that a request names, or whose impression it clicks; undefined if unknown. */
export function subjectOf(
  exchange: TracedExchange,
  operation: OperationId,
  owners: ReadonlyMap<string, string>,
): string | undefined {
  if (exchange.about !== undefined) return exchange.about;
  const values = valuesOf(exchange);
  return operation === "click"
    ? owners.get(values.get("impression_id") ?? "")
    : values.get("publisher_id");
}

/** The parameters of a request, from query and body. An empty one counts as not sent. */
export function valuesOf(exchange: TracedExchange): ReadonlyMap<string, string> {
  const known = valuesByExchange.get(exchange);
  if (known !== undefined) return known;
  const values = valuesIn(exchange);
  valuesByExchange.set(exchange, values);
  return values;
}

// A cache, because most laws read the same requests.
const valuesByExchange = new WeakMap<TracedExchange, ReadonlyMap<string, string>>();

const parameterNames: ReadonlySet<string> = new Set(
  everyOperation.flatMap(({ parameters }) => Object.keys(parameters)),
);

function valuesIn({ query, body }: TracedExchange): ReadonlyMap<string, string> {
  const text = lenientText(body);
  const members = text.trimStart().startsWith("{") ? jsonObjectIn(text) : undefined;
  const inBody = members === undefined ? pairsIn(text) : Object.entries(members);
  const values = new Map<string, string>();
  for (const [name, value] of [...pairsIn(query), ...inBody])
    if (parameterNames.has(name) && value !== null && value !== "") values.set(name, String(value));
  return values;
}

/** The pairs that may be parameters: decoding thousands of others takes long. */
function pairsIn(text: string): URLSearchParams {
  const pairs = text.split("&").filter((pair) => {
    const [name = ""] = pair.split("=", 1);
    return parameterNames.has(name) || /[%+]/.test(name);
  });
  return new URLSearchParams(pairs.join("&"));
}

type Answer = Pick<TracedExchange, "status" | "text">;
type Body = ReturnType<typeof jsonObjectIn>;

// A cache, because most laws read the same answers.
const bodies = new WeakMap<Answer, { readonly parsed: Body }>();

function bodyOf(answer: Answer): Body {
  const known = bodies.get(answer);
  if (known !== undefined) return known.parsed;
  const parsed = jsonObjectIn(answer.text);
  bodies.set(answer, { parsed });
  return parsed;
}

/** The event that a success names; undefined for any other answer. */
export function creditOf(answer: Answer, kind: EventKind): Credit | undefined {
  if (answer.status !== 200 || answer.text === "") return undefined;
  const body = bodyOf(answer);
  const id = body?.[`${kind}_id`];
  const inr = body?.revenue_credited_inr;
  if (typeof id !== "string" || typeof inr !== "number") return undefined;
  return { id, micros: nearestMicros(inr) };
}

/** The code of a refusal, if its body has one. */
export function codeOf(answer: Answer): string | undefined {
  const body = bodyOf(answer);
  const inner = body?.error ?? (Array.isArray(body?.errors) ? body.errors[0] : undefined);
  const holder = typeof inner === "object" && inner !== null ? inner : body;
  const code = holder === undefined ? undefined : (holder as { readonly code?: unknown }).code;
  return typeof code === "string" ? code : undefined;
}

/** The day of an instant as text. Uses JavaScript's dates, not the simulator's calendar, to be independent of its bugs. */
export function dayAt(instantMs: number, { "date.timezone": timezone }: Assumptions): string {
  return new Date(instantMs + offsetMs[timezone]).toISOString().slice(0, 10);
}

/** When a day begins. */
export function midnightOf(day: string, { "date.timezone": timezone }: Assumptions): number {
  return Date.parse(`${day}T00:00:00Z`) - offsetMs[timezone];
}

/** How long before midnight UTC a day begins. A day in India begins at 18:30 UTC of the day before. */
const offsetMs = { utc: 0, ist: 19_800_000 } as const;

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** An event, from the first answer that names its id. */
export interface RecordedEvent extends Credit {
  readonly kind: EventKind;
  readonly publisher: string | undefined;
  readonly atMs: number;
}

/** The events that the answers say were recorded, each once. Leaves out accepted clicks on unknown impressions. */
export function recordedIn(played: LawContext): readonly RecordedEvent[] {
  steadyReadingsOf(played);
  const known = new Map<string, RecordedEvent>();
  const owners = new Map<string, string>();
  for (const exchange of undisturbedExchanges(played)) {
    const kind = operationOf(exchange);
    if (!isEventKind(kind)) continue;
    const credit = creditOf(exchange, kind);
    if (credit === undefined || known.has(credit.id)) continue;
    const publisher = subjectOf(exchange, kind, owners);
    if (kind === "click") {
      const owner = owners.get(valuesOf(exchange).get("impression_id") ?? "");
      if (owner === undefined || owner !== publisher) continue;
    } else if (publisher !== undefined) owners.set(credit.id, publisher);
    known.set(credit.id, { ...credit, kind, publisher, atMs: exchange.atMs });
  }
  return Array.from(known.values());
}
