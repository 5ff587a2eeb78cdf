/**
 * The world aside in which laws are tried out: it goes on from the played one, without fault rules, and answers in forms
 * that can be compared. Nothing that is done in it shows in the played world.
 */

import { LAST_INSTANT_MS } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import { nearestMicros } from "../../base/money.ts";
import type { Readings } from "../../simulator/simulator-options.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import {
  type Effects,
  type Exchange,
  type Member,
  type Outgoing,
  type Playing,
  perform,
  performAside,
} from "../player/effects.ts";
import { type Evidence, notKnown, once, readingsOf } from "./evidence.ts";
import { addDays, dayAt, jsonOf } from "./reading.ts";

export interface Aside {
  /** The readings of the played world. Aside only the forms below are others. */
  readonly readings: Assumptions;
  /** The played world before anything was tried. */
  readonly before: Effects["audit"]["gives"];
  readonly beforeMs: number;
  /** Publishers that signed up aside: nothing that the run did touches their quotas. */
  readonly labs: readonly [Member, Member];
  /** Publishers of the run that are read. */
  readonly members: readonly Member[];
  /** The keys in force aside where they are others, by publisher, and how often each was used to read. */
  readonly keys: Map<string, { readonly apiKey: string; asked: number }>;
  /** What was read since anything last changed: several laws look at the same. */
  readonly answers: Map<string, Exchange>;
}

/** So that sums are exact, refusals can be told apart and what was recorded is visible. None of it changes what counts. */
const comparable = {
  "money.precision": "exact",
  "stats.today": "live",
  "stats.surfaces": "all",
  "request.encoding": "any",
  "errors.body": "problem",
  "limit.exceeded": "429",
} as const satisfies Readings;

const MOST_READ = 3;
const TIMEOUT_MS = 10_000;

export function asideOf(evidence: Evidence): Playing<Aside> {
  return once(evidence, "aside", function* () {
    if (!evidence.abilities.control) notKnown("the target has no world aside to try it in");
    const readings = readingsOf(evidence);
    const before = yield* perform<"audit">({ kind: "audit" });
    const beforeMs = yield* perform<"now">({ kind: "now" });
    const forked = yield* forkOf(evidence);
    if (forked !== "done") notKnown(forked);
    yield* performAside<"heal">({ kind: "heal", ids: undefined });
    yield* performAside<"assume">({ kind: "assume", readings: comparable });
    const labs = [yield* signUpAside("Probe one"), yield* signUpAside("Probe two")] as const;
    const members = evidence.members.slice(0, MOST_READ);
    return { readings, before, beforeMs, labs, members, keys: new Map(), answers: new Map() };
  });
}

/** Makes the world aside. @returns why it can't be made: a state that contradicts itself can't be gone on from. */
export function forkOf(evidence: Evidence): Playing<"done" | string> {
  return once(evidence, "fork", function* () {
    try {
      yield* perform<"fork">({ kind: "fork" });
      return "done";
    } catch (error) {
      if (error instanceof InputError) return `the world can't be gone on from: ${error.message}`;
      throw error;
    }
  });
}

/** Publishers of the run to read, at least one. */
export function membersOf({ members }: Aside): readonly Member[] {
  return members.length > 0 ? members : notKnown("no publisher took part");
}

export function signUpAside(name: string): Playing<Member> {
  const surfaces = ["First", "Second"];
  return performAside<"signUp">({ kind: "signUp", request: { name, surfaces } });
}

export type Values = Readonly<Record<string, string>>;

/** Parameters as JSON, or in the query of a GET. `publisher_id` is the member's own unless told. */
export function outgoingOf(
  member: Pick<Member, "id" | "apiKey">,
  operation: OperationId,
  values: Values = {},
): Outgoing {
  const { method, path } = operations[operation];
  const named = operation === "click" ? values : { publisher_id: member.id, ...values };
  const authorization = `Bearer ${member.apiKey}`;
  const request =
    method === "GET"
      ? { method, path, query: named, headers: { authorization } }
      : {
          method,
          path,
          body: JSON.stringify(named),
          headers: { authorization, "content-type": "application/json" },
        };
  return { operation, request, timeoutMs: TIMEOUT_MS };
}

/** One request aside, with the publisher's key that is in force there, whatever comes of it. */
export function* ask(
  { keys, answers }: Aside,
  member: Pick<Member, "id" | "apiKey">,
  operation: OperationId,
  values: Values = {},
): Playing<Exchange> {
  const key = keys.get(member.id);
  if (key !== undefined) key.asked += 1;
  if (operations[operation].method !== "GET") answers.clear();
  const { apiKey } = key ?? member;
  return yield* sendAside(outgoingOf({ id: member.id, apiKey }, operation, values));
}

export function sendAside(outgoing: Outgoing): Playing<Exchange> {
  return performAside<"send">({ kind: "send", outgoing });
}

export function nowAside(): Playing<number> {
  return performAside<"now">({ kind: "now" });
}

export function* waitAside({ answers }: Aside, ms: number): Playing<void> {
  answers.clear();
  const nowMs = yield* nowAside();
  if (nowMs + ms > LAST_INSTANT_MS) notKnown("the world's time is at its end");
  yield* performAside<"wait">({ kind: "wait", ms });
}

export function* todayAside({ readings }: Aside): Playing<string> {
  return dayAt(yield* nowAside(), readings);
}

/** Gives a publisher a key that nothing was asked with yet, and gives that. Aside it harms nobody. */
export function* freshKey({ keys }: Aside, { id }: Pick<Member, "id">): Playing<string> {
  const { apiKey } = yield* performAside<"rotateKey">({ kind: "rotateKey", publisher: id });
  keys.set(id, { apiKey, asked: 0 });
  return apiKey;
}

/** A reporting key is good for 60 requests in a minute. */
const MOST_ASKED = 50;

/** Reads, with a new key where one is used up. A law can't tell from an answer that isn't a success. */
function* read(
  aside: Aside,
  member: Member,
  operation: "stats" | "surfaces" | "payouts",
  values: Values = {},
): Playing<Exchange> {
  const asked = JSON.stringify([member.id, operation, values]);
  const known = aside.answers.get(asked);
  if (known !== undefined) return known;
  if ((aside.keys.get(member.id)?.asked ?? MOST_ASKED) >= MOST_ASKED)
    yield* freshKey(aside, member);
  const answer = yield* ask(aside, member, operation, values);
  if (answer.outcome === "answered" && answer.status === 200) {
    aside.answers.set(asked, answer);
    return answer;
  }
  return notKnown(`${operation} was answered with ${answer.status || answer.outcome}`);
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

export function* readStats(aside: Aside, member: Member, values: Values = {}): Playing<Stats> {
  return statsOf((yield* read(aside, member, "stats", values)).text);
}

/** Of all the days that the publisher has had. */
export function* readLifetime(aside: Aside, member: Member): Playing<Stats> {
  const to = yield* todayAside(aside);
  return yield* readStats(aside, member, { from: joinedOf(member), to });
}

export function joinedOf({ joined }: Member): string {
  return joined ?? notKnown("when a publisher joined isn't known");
}

export function statsOf(text: string): Stats {
  const body = jsonOf(text) ?? unreadable("stats");
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
  /** Whether there may be more than were listed, and which of them: the older or the newer ones. */
  readonly missing: "none" | "older" | "newer";
}

const MOST_LISTED = 100;

export function* readPayouts(aside: Aside, member: Member): Playing<Payouts> {
  const { text } = yield* read(aside, member, "payouts", { limit: String(MOST_LISTED) });
  const { payouts, pendingMicros } = payoutsOf(text);
  const cut = aside.readings["payout.order"] === "newest-first" ? "older" : "newer";
  return { text, payouts, pendingMicros, missing: payouts.length < MOST_LISTED ? "none" : cut };
}

export function payoutsOf(text: string): Pick<Payouts, "payouts" | "pendingMicros"> {
  const body = jsonOf(text) ?? unreadable("payouts");
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

/** All that was earned by the end of the cycle that is paid on a date. */
export function* dueBy(aside: Aside, member: Member, date: string): Playing<number> {
  const isMonthly = aside.readings["payout.cycle"] === "monthly";
  const to = addDays(isMonthly ? `${date.slice(0, 8)}01` : mondayOf(date), -1);
  return (yield* readStats(aside, member, { from: joinedOf(member), to })).micros;
}

function mondayOf(date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, -((weekday + 6) % 7));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object has members by name.
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
  return notKnown(`${what} can't be read`);
}
