/** The invariants of money (M1 to M4). */

import { MICROS_PER_PAISA, nearestMicros } from "../base/money.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { isEventKind } from "../spec/operations.ts";
import { ensure, inconclusive } from "./ensure.ts";
import { dueBy, readLifetime, readPayouts } from "./figures.ts";
import type { Invariant } from "./invariant.ts";
import type { Log } from "./log.ts";
import { creditOf, operationOf, ownAnswers, valuesOf } from "./read-trace.ts";
import type { TracedExchange, TraceReader } from "./trace.ts";
import { membersOf, type WorldCopy } from "./world-copy.ts";

export const moneyInvariants: readonly Invariant[] = [
  {
    id: "M1",
    says: "Lifetime revenue is the sum of all payouts and the pending amount, exact to the micro-INR (a millionth of a rupee).",
    tried: paidOrPending,
  },
  {
    id: "M2",
    says: "The credits in all answers, delivered or lost, add up to the revenue on record.",
    seen: creditsAsAudited,
    tried: auditBalances,
  },
  {
    id: "M3",
    says: "Every impression's credit is within a thousandth of its surface's cpm range.",
    seen: withinRange,
  },
  {
    id: "M4",
    says: "No number is NaN, infinite, -0, in exponent notation, or has more than 6 decimals.",
    seen: plainNumbers,
    tried: plainFigures,
  },
];

function paidOrPending(copy: WorldCopy): string {
  const members = membersOf(copy);
  for (const member of members) {
    const { payouts, pendingMicros, missing } = readPayouts(copy, member);
    const paid = payouts.reduce((sum, { micros }) => sum + micros, 0);
    const { micros } = readLifetime(copy, member);
    const [oldest] = payouts;
    if (missing === "newer") inconclusive("there may be more payouts than one request lists");
    // The list lacks older payouts. All payouts up to the oldest listed one add up to what was due by then.
    const isCut = missing === "older" && oldest !== undefined;
    const due = isCut ? dueBy(copy, member, oldest.date) - oldest.micros : 0;
    ensure(
      micros === due + paid + pendingMicros,
      () =>
        `${member.id} earned ${micros} micros, but was paid ${due + paid} and waits for ${pendingMicros}`,
    );
  }
  return `stats and payouts of ${members.length} publishers, in a copy of the world`;
}

/** The audit balances at any time, so what other invariants did in the copy doesn't matter. */
function auditBalances({ sim }: WorldCopy): string {
  const audit = sim.audit();
  ensure(audit.balanced && audit.discrepancies.length === 0, () => audit.discrepancies.join("; "));
  for (const { publisher, ...line } of audit.publishers) {
    const credited = nearestMicros(line.creditedSeenInr) + nearestMicros(line.creditedUnseenInr);
    const recorded = nearestMicros(line.creditedRecordedInr);
    ensure(
      credited === recorded,
      () => `answers to ${publisher} credited ${credited} micros, ${recorded} are on record`,
    );
  }
  if (audit.publishers.length === 0) inconclusive("nothing was recorded");
  return `the audit of ${audit.publishers.length} publishers`;
}

/** Compares the credits in the answers with what the audit says that they were. */
function creditsAsAudited({ trace, isExactTime, assumptions, audit }: Log): string {
  const audited = nearestMicros(audit().total.creditedSeenInr);
  const isWhole =
    trace.kept.length === trace.total && trace.disturbedFrom === Number.POSITIVE_INFINITY;
  if (!isWhole || trace.assumedAt !== undefined || !isExactTime)
    inconclusive("the client may not know every credit");
  if (assumptions?.["money.precision"] !== "exact") inconclusive("amounts in answers are rounded");
  const credits = new Map<string, number>();
  for (const exchange of trace.kept) {
    const kind = operationOf(exchange);
    if (!isEventKind(kind)) continue;
    const credit = creditOf(exchange, kind);
    // The answer to a duplicate may repeat the first credit, or have none.
    if (credit !== undefined && !credits.has(credit.id)) credits.set(credit.id, credit.micros);
  }
  if (credits.size === 0) inconclusive("nothing was recorded");
  const credited = Array.from(credits.values()).reduce((sum, one) => sum + one, 0);
  ensure(
    credited === audited,
    () => `answers credited ${credited} micros, the audit says ${audited}`,
  );
  return `credits of ${credits.size} events`;
}

/** A foreign service may pay less than the range, which is a cost (spec §2), and round to the paisa in its own way. */
function withinRange(log: Log): string {
  const { trace, assumptions } = log;
  let looked = 0;
  for (const exchange of ownAnswers(log)) {
    if (operationOf(exchange) !== "impression") continue;
    const credit = creditOf(exchange, "impression");
    if (credit === undefined || credit.micros === 0) continue;
    const ranges = rangesOf(trace, exchange, assumptions);
    if (!ranges.some(([, upper]) => Number.isFinite(upper))) continue;
    looked += 1;
    const mayRound = assumptions?.["money.precision"] !== "exact" || trace.assumedAt !== undefined;
    const fits = ranges.some(([lower, upper]) =>
      assumptions === undefined
        ? credit.micros <= Math.ceil((upper * 1000) / MICROS_PER_PAISA) * MICROS_PER_PAISA
        : isInRange(credit.micros, lower * 1000, upper * 1000, mayRound),
    );
    const shown = ranges.map(([lower, upper]) => `${lower} to ${upper}`).join(" or ");
    ensure(
      fits,
      () => `${credit.micros} micros for an impression whose range is ${shown} INR for a thousand`,
    );
  }
  return looked === 0
    ? inconclusive("no impression was credited")
    : `${looked} credited impressions`;
}

function isInRange(credited: number, lower: number, upper: number, mayRound: boolean): boolean {
  if (credited >= Math.round(lower) && credited <= Math.round(upper)) return true;
  return mayRound && credited >= toPaisa(lower) && credited <= toPaisa(upper);
}

function toPaisa(amount: number): number {
  return (
    Math.floor((Math.round(amount) + MICROS_PER_PAISA / 2) / MICROS_PER_PAISA) * MICROS_PER_PAISA
  );
}

/** The ranges that may have priced an impression. A repeat has the price of its first occurrence. */
function rangesOf(
  { pricesBySurface, assumedAt }: TraceReader,
  exchange: TracedExchange,
  assumptions: Assumptions | undefined,
): (readonly [number, number])[] {
  const own = pricesBySurface.get(valuesOf(exchange).get("surface") ?? "");
  if (own === undefined) return [];
  const until = own.ranges.filter(({ from }) => from <= exchange.at);
  const isReplay = assumptions === undefined || assumptions["dedup.repeat"] === "replay";
  if (!isReplay && assumedAt === undefined) return until.slice(-1).map(({ cpmRange }) => cpmRange);
  const siblings = Array.from(pricesBySurface.values()).filter(
    ({ publisher }) => publisher === own.publisher,
  );
  return siblings
    .flatMap(({ ranges }) => ranges)
    .filter(({ from }) => from <= exchange.at)
    .map(({ cpmRange }) => cpmRange);
}

function plainNumbers(log: Log): string {
  let looked = 0;
  for (const { text } of ownAnswers(log)) {
    if (!text.startsWith("{")) continue;
    looked += 1;
    ensurePlainNumbers(text, log.assumptions === undefined ? foreignWord : ownWord);
  }
  return looked === 0 ? inconclusive("no answer was JSON") : `${looked} answers`;
}

function plainFigures(copy: WorldCopy): string {
  for (const member of membersOf(copy)) {
    ensurePlainNumbers(readPayouts(copy, member).text, ownWord);
    ensurePlainNumbers(readLifetime(copy, member).text, ownWord);
  }
  return "stats and payouts, in a copy of the world";
}

/** A foreign service may write whatever JSON allows: 0.10, 1e-05, 0.30000000000000004. */
const foreignWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const ownWord = /^(?:true|false|null|(?:0|[1-9]\d*)(?:\.\d{0,5}[1-9])?)$/;

/** Checks every token outside strings in the raw text, because a body with NaN isn't valid JSON. */
function ensurePlainNumbers(json: string, word: RegExp): void {
  const withoutTexts = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  for (const [token] of withoutTexts.matchAll(/[^\s{}[\],:"]+/g))
    ensure(word.test(token), () => `the number ${token} in ${json.slice(0, 200)}`);
}
