/** Reads stats and payouts in a copy of the world, as whole figures and without running out of quota. */

import { nearestMicros } from "../base/money.ts";
import { jsonObjectIn } from "../base/parse-json.ts";
import type { ClientExchange, Member } from "./client-exchange.ts";
import { inconclusive } from "./ensure.ts";
import { addDays } from "./read-trace.ts";
import { ask, renewKey, todayIn, type Values, type WorldCopy } from "./world-copy.ts";

/** The limit is 60 reporting requests per key and minute. */
const MAX_READS_PER_KEY = 50;

/** Reads, with a new key when one is used up. Inconclusive if the answer isn't a success. */
function read(
  copy: WorldCopy,
  member: Member,
  operation: "stats" | "surfaces" | "payouts",
  values: Values = {},
): ClientExchange {
  const query = JSON.stringify([member.id, operation, values]);
  const known = copy.answers.get(query);
  if (known !== undefined) return known;
  if ((copy.keys.get(member.id)?.requestCount ?? MAX_READS_PER_KEY) >= MAX_READS_PER_KEY)
    renewKey(copy, member);
  const answer = ask(copy, member, operation, values);
  if (answer.outcome === "answered" && answer.status === 200) {
    copy.answers.set(query, answer);
    return answer;
  }
  return inconclusive(`${operation} was answered with ${answer.status || answer.outcome}`);
}

export interface Stats {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
  readonly rows: ReadonlyMap<string, { readonly impressions: number; readonly micros: number }>;
}

export function readStats(copy: WorldCopy, member: Member, values: Values = {}): Stats {
  return statsOf(read(copy, member, "stats", values).text);
}

/** Stats over all days since the publisher joined. */
export function readLifetime(copy: WorldCopy, member: Member): Stats {
  const to = todayIn(copy);
  return readStats(copy, member, { from: joinedOf(member), to });
}

export function joinedOf({ joined }: Member): string {
  return joined ?? inconclusive("when a publisher joined isn't known");
}

export function statsOf(text: string): Stats {
  const body = jsonObjectIn(text) ?? unreadable("stats");
  const period = fieldsOf(body.period);
  const surfaces = Array.isArray(body.surfaces) ? body.surfaces : unreadable("stats");
  const rows = surfaces.map((entry: unknown) => {
    const { id, impressions, revenue } = fieldsOf(entry);
    return [String(id), { impressions: count(impressions), micros: microsOf(revenue) }] as const;
  });
  return {
    text,
    from: String(period.from),
    to: String(period.to),
    impressions: count(body.impressions),
    clicks: count(body.clicks),
    micros: microsOf(body.revenue_inr),
    rows: new Map(rows),
  };
}

export interface Payout {
  readonly id: string;
  readonly date: string;
  readonly micros: number;
  readonly status: string;
  readonly reference: unknown;
}

export interface Payouts {
  readonly text: string;
  /** Oldest first. */
  readonly payouts: readonly Payout[];
  readonly pendingMicros: number;
  /** Whether the list is incomplete, and which payouts it may lack. */
  readonly missing: "none" | "older" | "newer";
}

const MAX_LISTED = 100;

export function readPayouts(copy: WorldCopy, member: Member): Payouts {
  const { text } = read(copy, member, "payouts", { limit: String(MAX_LISTED) });
  const { payouts, pendingMicros } = payoutsOf(text);
  const cut = copy.assumptions["payout.order"] === "newest-first" ? "older" : "newer";
  return { text, payouts, pendingMicros, missing: payouts.length < MAX_LISTED ? "none" : cut };
}

function payoutsOf(text: string): Pick<Payouts, "payouts" | "pendingMicros"> {
  const body = jsonObjectIn(text) ?? unreadable("payouts");
  const listed = Array.isArray(body.payouts) ? body.payouts : unreadable("payouts");
  const payouts = listed.map((entry: unknown): Payout => {
    const { id, date, amount_inr, status, txn_id } = fieldsOf(entry);
    return {
      id: String(id),
      date: String(date),
      micros: microsOf(amount_inr),
      status: String(status),
      reference: txn_id,
    };
  });
  const oldestFirst = payouts.toSorted((left, right) => (left.date < right.date ? -1 : 1));
  return { payouts: oldestFirst, pendingMicros: microsOf(body.pending_inr) };
}

/** Micros earned by the end of the month that is paid on `date`. */
export function dueBy(copy: WorldCopy, member: Member, date: string): number {
  const to = addDays(`${date.slice(0, 8)}01`, -1);
  return readStats(copy, member, { from: joinedOf(member), to }).micros;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : unreadable("an answer");
}

function count(value: unknown): number {
  return typeof value === "number" ? value : unreadable("a count");
}

/** An amount in INR as whole micros. */
function microsOf(inr: unknown): number {
  const micros = typeof inr === "number" ? nearestMicros(inr) : Number.NaN;
  return Number.isSafeInteger(micros) ? micros : unreadable("an amount");
}

function unreadable(what: string): never {
  return inconclusive(`${what} can't be read`);
}
