/** The invariants of money (M1 to M4). */

import { MICROS_PER_PAISA, nearestMicros } from "../base/money.ts";
import { creditOf, payoutsBody, read, valuesOf } from "./answers.ts";
import type { CpmRange, Played, TracedExchange } from "./client-exchange.ts";
import { ensure, ensureEach, inconclusive } from "./ensure.ts";
import { askAfresh, type Invariant, readStats, type WorldCopy } from "./invariant.ts";

export const moneyInvariants: readonly Invariant[] = [
  { id: "M1", says: "Lifetime revenue is payouts plus pending, to 6 decimals.", tried: allIsPaid },
  { id: "M2", says: "The credits in all answers are the revenue on record.", seen: onRecord },
  {
    id: "M3",
    says: "1,000 times an impression's credit lies in its surface's cpm_range.",
    seen: withinRange,
  },
  { id: "M4", says: "No number is NaN, -0, exponential or beyond 6 decimals.", seen: plainNumbers },
];

/** As many payouts as one request lists: there may be more. */
const MAX_PAYOUTS = 100;

function allIsPaid(copy: WorldCopy): string {
  const whole = copy.members
    .map((member) => {
      const { text } = askAfresh(copy, member, "payouts", { limit: String(MAX_PAYOUTS) });
      return { member, ...read(payoutsBody, text) };
    })
    .filter(({ payouts }) => payouts.length < MAX_PAYOUTS);
  return ensureEach(whole, "publishers with all their payouts", (one) => {
    const paid = one.payouts.reduce((sum, { amount_inr }) => sum + amount_inr, 0);
    const { micros } = readStats(copy, one.member);
    const why = `earned ${micros} micros, but was paid ${paid} and waits for ${one.pending_inr}`;
    ensure(micros === paid + one.pending_inr, `${one.member.id} ${why}`);
  });
}

/** The audit must balance, and know of the credits that the client saw, if it saw all. */
function onRecord({ trace, assumptions, world }: Played): string {
  const audit = typeof world === "string" ? inconclusive(world) : world.audit();
  ensure(audit.balanced, audit.discrepancies.join("; "));
  if (audit.publishers.length === 0) inconclusive("nothing was recorded");
  const isWhole = trace.kept.length === trace.total && !trace.isDisturbed;
  const isExact = assumptions?.["money.precision"] === "exact" && trace.assumedAt === undefined;
  if (!isWhole || !isExact) return `the audit of ${audit.publishers.length} publishers`;
  const credits = new Map<string, number>();
  for (const exchange of trace.kept) {
    const credit = creditOf(exchange, "impression") ?? creditOf(exchange, "click");
    // The answer to a duplicate may repeat the first credit, or have none.
    if (credit !== undefined && !credits.has(credit.id)) credits.set(credit.id, credit.micros);
  }
  const credited = Array.from(credits.values()).reduce((sum, micros) => sum + micros, 0);
  const audited = nearestMicros(audit.total.creditedSeenInr);
  ensure(credited === audited, `answers credited ${credited} micros, the audit says ${audited}`);
  return `the credits of ${credits.size} events`;
}

function withinRange(played: Played): string {
  const credited = played.trace
    .ownAnswers("impression")
    .map((exchange) => ({
      micros: creditOf(exchange, "impression")?.micros ?? 0,
      ranges: rangesOf(exchange, played),
    }))
    .filter(({ micros, ranges }) => micros !== 0 && ranges.some(([, upper]) => upper < Infinity));
  return ensureEach(credited, "credited impressions", ({ micros, ranges }) => {
    const isWithin = ranges.some((range) => isInRange(micros, range, played));
    ensure(isWithin, `${micros} micros for a cpm range of ${JSON.stringify(ranges)}`);
  });
}

/** A foreign service may pay less than the range, which is a cost (spec §2), and round to the paisa in its own way. */
function isInRange(micros: number, [lower, upper]: CpmRange, { assumptions }: Played): boolean {
  if (assumptions === undefined) return micros < upper * 1000 + MICROS_PER_PAISA;
  const rounding = assumptions["money.precision"] === "exact" ? 0.5 : MICROS_PER_PAISA / 2 + 0.5;
  return micros >= lower * 1000 - rounding && micros <= upper * 1000 + rounding;
}

/** The ranges that its surface had in the run. A repeat may have the price of the publisher's other surfaces. */
function rangesOf(exchange: TracedExchange, { trace, assumptions }: Played): readonly CpmRange[] {
  const own = trace.prices.get(valuesOf(exchange).get("surface") ?? "");
  const mayRepeat = assumptions === undefined || assumptions["dedup.repeat"] === "replay";
  if (own === undefined || !mayRepeat) return own?.ranges ?? [];
  const all = Array.from(trace.prices.values());
  return all.filter((one) => one.publisher === own.publisher).flatMap(({ ranges }) => ranges);
}

/** A foreign service may write whatever JSON allows: 0.10, 1e-05, 0.30000000000000004. */
const foreignWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const ownWord = /^(?:true|false|null|(?:0|[1-9]\d*)(?:\.\d{0,5}[1-9])?)$/;

/** Checks every token outside strings in the raw text, because a body with NaN isn't valid JSON. */
function plainNumbers(played: Played): string {
  const word = played.assumptions === undefined ? foreignWord : ownWord;
  const bodies = played.trace.ownAnswers().filter(({ text }) => text.startsWith("{"));
  return ensureEach(bodies, "answers", ({ text }) => {
    const withoutTexts = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    for (const [token] of withoutTexts.matchAll(/[^\s{}[\],:"]+/g))
      ensure(word.test(token), `the number ${token} in ${text}`);
  });
}
