/** Reads kept exchanges: what was sent, by whom, what was credited, and which of them say what the service itself did. */

import { nearestMicros } from "../base/money.ts";
import { headerOf } from "../exchange/headers.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { type OperationId, operations } from "../spec/operations.ts";
import { inconclusive, knownReadingsOf, type LawContext, steadyReadingsOf } from "./law.ts";
import type { TracedExchange, TraceReader } from "./trace.ts";

/** A success of a recording operation. */
export interface Credit {
  readonly id: string;
  readonly micros: number;
}

/** The answers that are whole and that no fault rule may have written. */
export function ownAnswers({ trace }: LawContext): readonly TracedExchange[] {
  const answers = trace.kept.filter(
    ({ outcome, at }) => outcome === "answered" && at < trace.scriptedFrom,
  );
  if (answers.length > 0) return answers;
  return inconclusive(
    trace.total === 0 ? "nothing was sent" : "fault rules may have written every answer",
  );
}

/** Those to one operation, under the readings that are in force now: under others what was answered looks otherwise. */
export function ownAnswersTo(
  operation: OperationId,
  played: LawContext,
): readonly TracedExchange[] {
  const readings = knownReadingsOf(played);
  const since = played.trace.assumedAt ?? 0;
  return ownAnswers(played).filter(
    (seen) => seen.at >= since && operationOf(seen, readings) === operation,
  );
}

/**
 * The exchanges from the start that no fault rule was in force at, up to the first without an answer: of these the client
 * knows all that the service did.
 */
export function undisturbedExchanges({
  trace,
  isExactTime,
}: LawContext): readonly TracedExchange[] {
  if (trace.total === 0) inconclusive("nothing was sent");
  if (!isExactTime) inconclusive("in real time a request's instant isn't known to the millisecond");
  const clean = trace.kept.slice(0, trace.disturbedFrom);
  const lost = clean.findIndex(({ outcome }) => outcome !== "answered");
  const known = lost === -1 ? clean : clean.slice(0, lost);
  return known.length > 0
    ? known
    : inconclusive(
        "fault rules were in force: what reached the service can't be told from answers",
      );
}

const everyOperation = Object.values(operations);

/** The operation that answers, by path and method; undefined where none does. Without readings: by the plain path. */
export function operationOf(
  { method, path }: TracedExchange,
  readings: Assumptions | undefined,
): OperationId | undefined {
  const isSame = readings?.["http.trailing-slash"] === "same";
  const named = isSame && path.endsWith("/") ? path.slice(0, -1) : path;
  const found = everyOperation.find((one) => one.path === named);
  if (found === undefined) return undefined;
  const isHead = method === "HEAD" && readings?.["http.head"] === "supported";
  return found.method === method || (isHead && found.method === "GET") ? found.id : undefined;
}

/** The key that a request was sent with, where the service reads it as one. */
export function keyOf({ headers }: TracedExchange, readings: Assumptions | undefined): string {
  const spelling =
    readings?.["auth.scheme-case"] === "exact" ? /^Bearer +(\S+)$/ : /^bearer +(\S+)$/i;
  return spelling.exec(headerOf(headers, "authorization")?.trim() ?? "")?.[1] ?? "";
}

/** Id of the publisher whose key it was at that position. */
export function callerOf({ keys }: TraceReader, key: string, at: number): string | undefined {
  const known = keys.get(key);
  return known !== undefined && at < known.until ? known.publisher : undefined;
}

/** Whom a request was about, as far as that can be told: the publisher that it names, or whose impression it clicks on. */
export function subjectOf(
  seen: TracedExchange,
  operation: OperationId,
  owners: ReadonlyMap<string, string>,
): string | undefined {
  if (seen.about !== undefined) return seen.about;
  const values = valuesOf(seen);
  return operation === "click"
    ? owners.get(values.get("impression_id") ?? "")
    : values.get("publisher_id");
}

/** The parameters of a request, wherever they stand. An empty one counts as not sent. */
export function valuesOf(seen: TracedExchange): ReadonlyMap<string, string> {
  const known = readBefore.get(seen);
  if (known !== undefined) return known;
  const values = valuesIn(seen);
  readBefore.set(seen, values);
  return values;
}

// Most laws look at the same requests.
const readBefore = new WeakMap<TracedExchange, ReadonlyMap<string, string>>();

function valuesIn({ query, body }: TracedExchange): ReadonlyMap<string, string> {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const members = text.trimStart().startsWith("{") ? jsonOf(text) : undefined;
  const inBody = members === undefined ? new URLSearchParams(text) : Object.entries(members);
  const values = new Map<string, string>();
  for (const [name, value] of [...new URLSearchParams(query), ...inBody])
    if (value !== null && value !== "") values.set(name, String(value));
  return values;
}

/** A JSON object; undefined for any other text. */
export function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    // An object has members by name.
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

type Answer = Pick<TracedExchange, "status" | "text">;
type Body = ReturnType<typeof jsonOf>;

// Most laws look at the same answers, too.
const bodies = new WeakMap<Answer, { readonly parsed: Body }>();

function bodyOf(answer: Answer): Body {
  const known = bodies.get(answer);
  if (known !== undefined) return known.parsed;
  const parsed = jsonOf(answer.text);
  bodies.set(answer, { parsed });
  return parsed;
}

/** What a success names as recorded; undefined for any other answer. */
export function creditOf(answer: Answer, kind: "impression" | "click"): Credit | undefined {
  if (answer.status !== 200 || answer.text === "") return undefined;
  const body = bodyOf(answer);
  const id = body?.[`${kind}_id`];
  const inr = body?.revenue_credited_inr;
  if (typeof id !== "string" || typeof inr !== "number") return undefined;
  return { id, micros: nearestMicros(inr) };
}

/** The code of a refusal, where its body has one. */
export function codeOf(answer: Answer): string | undefined {
  const body = bodyOf(answer);
  const inner = body?.error ?? (Array.isArray(body?.errors) ? body.errors[0] : undefined);
  const holder = typeof inner === "object" && inner !== null ? inner : body;
  const code = holder === undefined ? undefined : (holder as { readonly code?: unknown }).code;
  return typeof code === "string" ? code : undefined;
}

/** Days as texts, by the language's own UTC dates: nothing of the simulator's calendar. */
export function dayAt(instantMs: number, { "date.timezone": timezone }: Assumptions): string {
  return new Date(instantMs + offsetMs[timezone]).toISOString().slice(0, 10);
}

/** When a day begins. */
export function midnightOf(day: string, { "date.timezone": timezone }: Assumptions): number {
  return Date.parse(`${day}T00:00:00Z`) - offsetMs[timezone];
}

/** How long before the midnight of UTC a day begins: of India's at 18:30 of the day before. */
const offsetMs = { utc: 0, ist: 19_800_000 } as const;

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Something that was recorded: the first answer that names its id. */
export interface RecordedEvent extends Credit {
  readonly kind: "impression" | "click";
  readonly publisher: string | undefined;
  readonly atMs: number;
}

/** What the answers say was recorded, each event once. A click on nothing may be accepted, but nothing comes of it. */
export function recordedIn(played: LawContext): readonly RecordedEvent[] {
  const readings = steadyReadingsOf(played);
  const known = new Map<string, RecordedEvent>();
  const owners = new Map<string, string>();
  for (const seen of undisturbedExchanges(played)) {
    const kind = operationOf(seen, readings);
    if (kind !== "impression" && kind !== "click") continue;
    const credit = creditOf(seen, kind);
    if (credit === undefined || known.has(credit.id)) continue;
    const publisher = subjectOf(seen, kind, owners);
    if (kind === "click") {
      const owner = owners.get(valuesOf(seen).get("impression_id") ?? "");
      if (owner === undefined || owner !== publisher) continue;
    } else if (publisher !== undefined) owners.set(credit.id, publisher);
    known.set(credit.id, { ...credit, kind, publisher, atMs: seen.atMs });
  }
  return Array.from(known.values());
}
