/** The laws of payouts (M5 and M6): what is paid, and that it stays as it was listed. */

import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { Playing } from "../player/effects.ts";
import {
  asideOf,
  dueBy,
  membersOf,
  type Payout,
  payoutsOf,
  readPayouts,
  waitAside,
} from "./aside.ts";
import { type Evidence, notKnown, readingsOf, require } from "./evidence.ts";
import { operationOf, ownAnswers } from "./reading.ts";

/** The smallest payout in micro-INR. */
const thresholds = { "500": 500_000_000, none: 1 } satisfies Record<
  Choice<"payout.threshold">,
  number
>;
/** Of each publisher's latest payouts so many are held against its stats. */
const MOST_PAYOUTS = 4;

export function* overThreshold(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const threshold = thresholds[aside.readings["payout.threshold"]];
  let looked = 0;
  for (const member of membersOf(aside)) {
    const { payouts, missing } = yield* readPayouts(aside, member);
    for (const { micros: paid, date } of payouts) {
      looked += 1;
      require(paid >= threshold, () => `${member.id} was paid ${paid} micros on ${date}`);
    }
    const latest = payouts.slice(-MOST_PAYOUTS);
    const isWhole = latest.length === payouts.length && missing !== "older";
    let before: number | undefined = isWhole ? 0 : undefined;
    for (const { micros: paid, date } of latest) {
      const due: number = yield* dueBy(aside, member, date);
      const owed: number | undefined = before === undefined ? undefined : due - before;
      require(owed === undefined || owed === paid, () =>
        `${member.id} had ${owed} micros due on ${date}, and was paid ${paid}`);
      before = due;
    }
  }
  return looked === 0 ? notKnown("nothing was ever paid") : `${looked} payouts, aside`;
}

/** What may follow each status. */
const courses: Readonly<Record<string, readonly string[]>> = {
  processing: ["processing", "on_hold", "failed", "paid", "reversed"],
  on_hold: ["on_hold", "processing", "paid"],
  failed: ["failed", "processing", "paid"],
  paid: ["paid", "reversed"],
  reversed: ["reversed"],
};

// biome-ignore lint/correctness/useYield: every look is a generator; this one has nothing done.
export function* listedAgain(evidence: Evidence): Playing<string> {
  const { trace, assumptions } = evidence;
  const readings = assumptions === undefined ? undefined : readingsOf(evidence);
  const known = new Map<string, Payout>();
  let again = 0;
  for (const seen of ownAnswers(evidence)) {
    // Under other readings the same payout has another look, and other cycles have other payouts.
    if (seen.at < (trace.assumedAt ?? 0)) continue;
    if (seen.status !== 200 || seen.text === "" || operationOf(seen, readings) !== "payouts")
      continue;
    for (const payout of payoutsOf(seen.text).payouts) {
      const before = known.get(payout.id);
      known.set(payout.id, payout);
      if (before === undefined) continue;
      again += 1;
      follows(before, payout);
    }
  }
  return again === 0 ? notKnown("no payout was listed twice") : `${again} payouts listed again`;
}

const DAY_MS = 86_400_000;

/** Lists, lets weeks pass, and lists again. */
export function* listedLater(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const members = membersOf(aside);
  const before: (readonly Payout[])[] = [];
  for (const member of members) before.push((yield* readPayouts(aside, member)).payouts);
  if (before.every((payouts) => payouts.length === 0)) notKnown("nothing was ever paid");
  yield* waitAside(aside, 10 * DAY_MS);
  let looked = 0;
  for (const [index, member] of members.entries()) {
    const { payouts, missing } = yield* readPayouts(aside, member);
    const now = new Map(payouts.map((payout) => [payout.id, payout]));
    for (const payout of before[index] ?? []) {
      const after = now.get(payout.id);
      // A full list loses its oldest to newer ones.
      if (after === undefined && missing === "older") continue;
      require(after !== undefined, () => `${member.id} no longer has the payout of ${payout.date}`);
      looked += 1;
      follows(payout, after);
    }
  }
  return `${looked} payouts ten days later, aside`;
}

function follows(before: Payout, after: Payout): void {
  const what = (): string => `${JSON.stringify(before)} became ${JSON.stringify(after)}`;
  require(after.date === before.date && after.micros === before.micros, what);
  // A service that names other statuses declares another course.
  require(courses[before.status]?.includes(after.status) ?? true, what);
  const wasMade = before.status === "paid" || before.status === "reversed";
  require(!wasMade || after.reference === before.reference, what);
}
