/** The laws of money (M1 to M6). */

import { nearestMicros } from "../../base/money.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import type { Playing } from "../player/effects.ts";
import { asideOf, dueBy, membersOf, readLifetime, readPayouts } from "./aside.ts";
import {
  type Evidence,
  type Invariant,
  invariant,
  notKnown,
  readingsOf,
  require,
} from "./evidence.ts";
import { listedAgain, listedLater, overThreshold } from "./payouts.ts";
import { creditOf, operationOf, ownAnswers, valuesOf } from "./reading.ts";
import type { Seen, TraceReader } from "./trace.ts";

export const money: readonly Invariant[] = [
  invariant(
    "M1",
    "Lifetime revenue is the sum of payouts and what is pending, to the micro.",
    paidOrPending,
  ),
  invariant(
    "M2",
    "What answers credited, delivered or lost, is what is on record; and the books agree.",
    audited,
    creditsAsAudited,
  ),
  invariant(
    "M3",
    "Every impression's credit lies within its surface's cpm range, for one of a thousand.",
    withinRange,
  ),
  invariant(
    "M4",
    "No number is NaN, infinite, -0, in exponent notation, or has more than 6 decimals.",
    plainNumbers,
    plainFigures,
  ),
  invariant(
    "M5",
    "No payout is below the threshold, and what isn't paid rolls over unchanged.",
    overThreshold,
  ),
  invariant(
    "M6",
    "A listed payout never changes, save for its status along the declared course.",
    listedAgain,
    listedLater,
  ),
];

function* paidOrPending(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const members = membersOf(aside);
  for (const member of members) {
    const { payouts, pendingMicros, missing } = yield* readPayouts(aside, member);
    const paid = payouts.reduce((sum, { micros }) => sum + micros, 0);
    const { micros } = yield* readLifetime(aside, member);
    const [oldest] = payouts;
    if (missing === "newer") notKnown("there may be more payouts than one request lists");
    // With the oldest listed they come to all that was due by then.
    const isCut = missing === "older" && oldest !== undefined;
    const due = isCut ? (yield* dueBy(aside, member, oldest.date)) - oldest.micros : 0;
    require(micros === due + paid + pendingMicros, () =>
      `${member.id} earned ${micros} micros, but was paid ${due + paid} and waits for ${pendingMicros}`);
  }
  return `stats and payouts of ${members.length} publishers, aside`;
}

function* audited(evidence: Evidence): Playing<string> {
  const { before } = yield* asideOf(evidence);
  require(before.balanced && before.discrepancies.length === 0, () =>
    before.discrepancies.join("; "));
  for (const { publisher, ...line } of before.publishers) {
    const seen = nearestMicros(line.creditedSeenInr) + nearestMicros(line.creditedUnseenInr);
    const recorded = nearestMicros(line.creditedRecordedInr);
    require(seen === recorded, () =>
      `answers to ${publisher} credited ${seen} micros, ${recorded} are on record`);
  }
  if (before.publishers.length === 0) notKnown("nothing was recorded");
  return `the audit of ${before.publishers.length} publishers`;
}

/** What the client was told, held against what the audit says that it was told. */
function* creditsAsAudited(evidence: Evidence): Playing<string> {
  const { trace, abilities } = evidence;
  const { before, readings } = yield* asideOf(evidence);
  const isWhole =
    trace.kept.length === trace.total && trace.disturbedFrom === Number.POSITIVE_INFINITY;
  if (!isWhole || trace.assumedAt !== undefined || abilities.time.kind !== "virtual")
    notKnown("the client can't know of all that was credited");
  if (readings["money.precision"] === "paise") notKnown("amounts in answers are rounded");
  const credits = new Map<string, number>();
  for (const seen of trace.kept) {
    const kind = operationOf(seen, readings);
    if (kind !== "impression" && kind !== "click") continue;
    const credit = creditOf(seen, kind);
    // A duplicate may show the first one's credit again, or none.
    if (credit !== undefined && !credits.has(credit.id)) credits.set(credit.id, credit.micros);
  }
  if (credits.size === 0) notKnown("nothing was recorded");
  const told = [...credits.values()].reduce((sum, one) => sum + one, 0);
  const seen = nearestMicros(before.total.creditedSeenInr);
  require(told === seen, () => `answers credited ${told} micros, the service says ${seen}`);
  return `credits of ${credits.size} events`;
}

const MICROS_PER_PAISA = 10_000;

function* withinRange(evidence: Evidence): Playing<string> {
  const { trace, assumptions } = evidence;
  const readings = assumptions === undefined ? undefined : readingsOf(evidence);
  let looked = 0;
  for (const seen of ownAnswers(evidence)) {
    if (operationOf(seen, readings) !== "impression") continue;
    const credit = creditOf(seen, "impression");
    if (credit === undefined || credit.micros === 0) continue;
    const ranges = rangesOf(trace, seen, readings);
    if (ranges.length === 0) continue;
    looked += 1;
    const mayRound = readings?.["money.precision"] !== "exact" || trace.assumedAt !== undefined;
    const fits = ranges.some(([lower, upper]) =>
      within(credit.micros, lower * 1000, upper * 1000, mayRound),
    );
    const shown = ranges.map(([lower, upper]) => `${lower} to ${upper}`).join(" or ");
    require(fits, () =>
      `${credit.micros} micros for an impression whose range is ${shown} INR for a thousand`);
  }
  return looked === 0 ? notKnown("no impression was credited") : `${looked} credited impressions`;
}

function within(credited: number, lower: number, upper: number, mayRound: boolean): boolean {
  if (credited >= Math.round(lower) && credited <= Math.round(upper)) return true;
  return mayRound && credited >= toPaisa(lower) && credited <= toPaisa(upper);
}

function toPaisa(amount: number): number {
  return (
    Math.floor((Math.round(amount) + MICROS_PER_PAISA / 2) / MICROS_PER_PAISA) * MICROS_PER_PAISA
  );
}

/** The ranges that may have priced an impression. One that is shown again was priced by what held when it was new. */
function rangesOf(
  { terms, assumedAt }: TraceReader,
  seen: Seen,
  readings: Assumptions | undefined,
): (readonly [number, number])[] {
  const own = terms.get(valuesOf(seen).get("surface") ?? "");
  if (own === undefined) return [];
  const until = own.ranges.filter(({ from }) => from <= seen.at);
  if (readings !== undefined && readings["dedup.repeat"] !== "replay" && assumedAt === undefined)
    return until.slice(-1).map(({ cpmRange }) => cpmRange);
  const siblings = [...terms.values()].filter(({ publisher }) => publisher === own.publisher);
  return siblings
    .flatMap(({ ranges }) => ranges)
    .filter(({ from }) => from <= seen.at)
    .map(({ cpmRange }) => cpmRange);
}

// biome-ignore lint/correctness/useYield: every look is a generator; this one has nothing done.
function* plainNumbers(evidence: Evidence): Playing<string> {
  let looked = 0;
  for (const { text } of ownAnswers(evidence)) {
    if (!text.startsWith("{")) continue;
    looked += 1;
    arePlain(text);
  }
  return looked === 0 ? notKnown("no answer was JSON") : `${looked} answers`;
}

function* plainFigures(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  for (const member of membersOf(aside)) {
    arePlain((yield* readPayouts(aside, member)).text);
    arePlain((yield* readLifetime(aside, member)).text);
  }
  return "stats and payouts, aside";
}

const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d{1,6})?)$/;
const minusZero = /^-0(?:\.0*)?$/;

/** Looks at what stands outside of texts: a body with NaN in it isn't even JSON. */
function arePlain(json: string): void {
  const withoutTexts = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  for (const [token] of withoutTexts.matchAll(/[^\s{}[\],:"]+/g)) {
    require(word.test(token) && !minusZero.test(token), () =>
      `the number ${token} in ${json.slice(0, 200)}`);
  }
}
