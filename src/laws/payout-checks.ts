/** Checks of the laws of payouts (M5 and M6): what is paid, and that a listed payout stays the same. */

import { DAY_MS } from "../base/duration.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { Member } from "./client-exchange.ts";
import { dueBy, type Payout, payoutsOf, readPayouts } from "./figures.ts";
import { ensure, inconclusive, type LawContext, readingsOf } from "./law.ts";
import { ownAnswersTo } from "./read-trace.ts";
import { halfway, type Rerun } from "./rerun.ts";
import { copyOf, membersOf, prepareCopy, type WorldCopy, waitIn } from "./world-copy.ts";

/** The smallest payout in micro-INR. */
const thresholds = { "500": 500_000_000, none: 1 } satisfies Record<
  Choice<"payout.threshold">,
  number
>;

/** Compares each publisher's latest payouts with its stats. */
export function overThreshold(played: LawContext): string {
  const copy = copyOf(played);
  const threshold = thresholds[copy.readings["payout.threshold"]];
  let looked = 0;
  for (const member of membersOf(copy)) {
    const { payouts, missing } = readPayouts(copy, member);
    for (const { micros: paid, date } of payouts) {
      looked += 1;
      ensure(paid >= threshold, () => `${member.id} was paid ${paid} micros on ${date}`);
    }
    const latest = payouts.slice(-played.sampleSize);
    const isWhole = latest.length === payouts.length && missing !== "older";
    let before: number | undefined = isWhole ? 0 : undefined;
    for (const { micros: paid, date } of latest) {
      const due: number = dueBy(copy, member, date);
      const owed: number | undefined = before === undefined ? undefined : due - before;
      ensure(
        owed === undefined || owed === paid,
        () => `${member.id} had ${owed} micros due on ${date}, and was paid ${paid}`,
      );
      before = due;
    }
  }
  return looked === 0
    ? inconclusive("nothing was ever paid")
    : `${looked} payouts, in a copy of the world`;
}

/** The statuses that may follow each status. */
const allowedTransitions: Readonly<Record<string, readonly string[]>> = {
  processing: ["processing", "on_hold", "failed", "paid", "reversed"],
  on_hold: ["on_hold", "processing", "paid"],
  failed: ["failed", "processing", "paid"],
  paid: ["paid", "reversed"],
  reversed: ["reversed"],
};

export function listedAgain(played: LawContext): string {
  // How a payout of another service may change is left open (spec §3).
  readingsOf(played);
  const known = new Map<string, Payout>();
  let again = 0;
  for (const exchange of ownAnswersTo("payouts", played)) {
    if (exchange.status !== 200 || exchange.text === "") continue;
    for (const payout of payoutsOf(exchange.text).payouts) {
      const before = known.get(payout.id);
      known.set(payout.id, payout);
      if (before === undefined) continue;
      again += 1;
      ensureAllowedChange(before, payout);
    }
  }
  return again === 0 ? inconclusive("no payout was listed twice") : `${again} payouts listed again`;
}

/** Lists, lets weeks pass, and lists again. */
export function listedLater(played: LawContext): string {
  const copy = copyOf(played);
  const members = membersOf(copy);
  const before = listPayouts(copy, members);
  if (before.every((payouts) => payouts.length === 0)) inconclusive("nothing was ever paid");
  waitIn(copy, 10 * DAY_MS);
  return `${ensureStillListed(copy, members, before)} payouts ten days later, in a copy of the world`;
}

/** Checks that the payouts listed halfway are still listed at the end. */
export function listedHalfway(rerun: Rerun): string {
  const { played } = rerun;
  const readings = readingsOf(played);
  const { found, sim } = halfway(rerun, (world) => {
    const members = played.members.filter(({ id }) => hasPublisher(world, id));
    return { members, before: listPayouts(prepareCopy(world.fork(), readings, members), members) };
  });
  const { members, before } = found ?? { members: [], before: [] };
  const count = ensureStillListed(prepareCopy(sim.fork(), readings, members), members, before);
  return count === 0 ? inconclusive("nothing was ever paid") : `${count} payouts halfway and later`;
}

export function hasPublisher({ publishers }: WorldCopy["sim"], id: string): boolean {
  return publishers.list({ limit: publishers.total }).some((one) => one.id === id);
}

function listPayouts(copy: WorldCopy, members: readonly Member[]): (readonly Payout[])[] {
  return members.map((member) => readPayouts(copy, member).payouts);
}

function ensureStillListed(
  copy: WorldCopy,
  members: readonly Member[],
  before: readonly (readonly Payout[])[],
): number {
  let looked = 0;
  for (const [index, member] of members.entries()) {
    const { payouts, missing } = readPayouts(copy, member);
    const now = new Map(payouts.map((payout) => [payout.id, payout]));
    for (const payout of before[index] ?? []) {
      const after = now.get(payout.id);
      // Newer payouts push the oldest off a full list.
      if (after === undefined && missing === "older") continue;
      ensure(after !== undefined, () => `${member.id} no longer has the payout of ${payout.date}`);
      looked += 1;
      ensureAllowedChange(payout, after);
    }
  }
  return looked;
}

function ensureAllowedChange(before: Payout, after: Payout): void {
  const what = (): string => `${JSON.stringify(before)} became ${JSON.stringify(after)}`;
  ensure(after.date === before.date && after.micros === before.micros, what);
  // A service with other statuses has another lifecycle.
  ensure(allowedTransitions[before.status]?.includes(after.status) ?? true, what);
  const wasMade = before.status === "paid" || before.status === "reversed";
  ensure(!wasMade || after.reference === before.reference, what);
}
