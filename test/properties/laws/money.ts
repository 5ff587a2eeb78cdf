/**
 * The laws of money (M1 to M6). Each looks at a finished run, tries things on forks of it or replays it, and throws an
 * Error that names the law and what broke it. None changes the run. Under `money.precision=paise` answers are rounded
 * and don't add up: inside all is exact, so the laws look at the same run in a world that doesn't round.
 */

import { addDays, mondayOf } from "../../../src/testing/oracle/calendar.ts";
import { finalReaderOf, MOST_LISTED, type Reader, readerOf } from "../reader.ts";
import {
  assertNumbersArePlain,
  creditOf,
  pathOf,
  recordedIn,
  requestSteps,
  valuesOf,
} from "../reading.ts";
import { createPlayer, halves, type Run, replay, require, withoutTimeTravel } from "../run.ts";

/** Lifetime revenue = Σ payouts + pending, to the micro. */
export function M1(run: Run): void {
  const { publishers } = run;
  const reader = finalReaderOf(run.exact ?? run);
  for (const publisher of publishers) {
    const { payouts, pendingMicros } = reader.payouts(publisher.id);
    const paid = payouts.reduce((sum, payout) => sum + payout.micros, 0);
    const { micros } = reader.lifetime(publisher);
    const [oldest] = payouts;
    if (payouts.length < MOST_LISTED || oldest === undefined) {
      const what = `${publisher.id} earned ${micros} micros, was paid ${paid}, waits for ${pendingMicros}`;
      require("M1", micros === paid + pendingMicros, what);
    } else if (run.options.assumptions["payout.order"] === "newest-first") {
      // There may be older payouts than a request lists. With the oldest listed they come to all that was due by then.
      const due = dueBy(run, reader, publisher, oldest.date);
      const since = paid - oldest.micros + pendingMicros;
      const what = `${publisher.id} earned ${micros} micros, ${due} by ${oldest.date}, ${since} since`;
      require("M1", micros === due + since, what);
    }
  }
}

/** Σ credited in answers = Σ revenue recorded. */
export function M2(run: Run): void {
  const straight = withoutTimeTravel(run.exact ?? run);
  const credited = new Map<string, number>();
  for (const { publisherId, micros } of recordedIn(straight))
    credited.set(publisherId, (credited.get(publisherId) ?? 0) + micros);
  const reader = finalReaderOf(run.exact ?? run);
  const before = readerOf(run.pristine);
  for (const publisher of straight.publishers) {
    const { id, ordinal } = publisher;
    const isSeeded = ordinal < run.pristine.publishers.total;
    const history = isSeeded ? before.lifetime(publisher).micros : 0;
    const recorded = reader.lifetime(publisher).micros - history;
    const sum = credited.get(id) ?? 0;
    require("M2", recorded ===
      sum, `${id} was credited ${sum} micros, but has ${recorded} on record`);
  }
}

/** Every impression's credit lies within its surface's cpm range at that time, for one of a thousand. */
export function M3(run: Run): void {
  const { options, steps } = run.exact ?? run;
  // A duplicate that is replayed was priced when it was new: its range may have changed since.
  if (options.assumptions["dedup.repeat"] === "replay") return;
  // Price ranges change, and a reset or a restore takes that back: replaying knows them at every step.
  const player = createPlayer(options);
  for (const { action } of steps) {
    const response = player.play(action);
    if (action.kind !== "request" || pathOf(action.request) !== "/v1/impression") continue;
    const credit = response === undefined ? undefined : creditOf(response);
    // Repeats, and impressions on a surface that isn't active, credit nothing.
    if (credit === undefined || credit.micros === 0) continue;
    const id = valuesOf(action.request).get("surface");
    const { surfaces } = player.sim.publishers.get(action.publisherId);
    const surface = surfaces.find((one) => one.id === id);
    require("M3", surface !== undefined, `credit on no surface ${id}`);
    const [lower = 0, upper = 0] = surface.cpmRange.map((inr) => Math.round(inr * 1000));
    const fits = credit.micros >= lower && credit.micros <= upper;
    const what = `${credit.micros} micros on ${id}, whose range is ${surface.cpmRange} INR for a thousand`;
    require("M3", fits, what);
  }
}

/** No NaN, Infinity, -0, exponent, or more than 6 decimals in any body. */
export function M4({ steps, sim, publishers }: Run): void {
  for (const { response } of requestSteps(steps)) assertNumbersArePlain("M4", response.body);
  const reader = readerOf(sim);
  for (const publisher of publishers) {
    assertNumbersArePlain("M4", reader.payouts(publisher.id).text);
    assertNumbersArePlain("M4", reader.lifetime(publisher).text);
  }
}

/** No payout below the threshold; what isn't paid rolls over unchanged: a payout is all that came due since the last. */
export function M5(run: Run): void {
  const { publishers } = run;
  const reader = finalReaderOf(run.exact ?? run);
  const threshold = run.options.assumptions["payout.threshold"] === "none" ? 1 : 500_000_000;
  for (const publisher of publishers) {
    const { payouts } = reader.payouts(publisher.id);
    // Where the list may have lost its oldest, the first that is left only says where the next begins.
    const begins = payouts.length < MOST_LISTED || isOldestFirst(run) ? 0 : undefined;
    let before: number | undefined = begins;
    for (const { date, micros } of payouts) {
      require("M5", micros >= threshold, `${publisher.id} was paid ${micros} micros on ${date}`);
      const due = dueBy(run, reader, publisher, date);
      if (before !== undefined) {
        const what = `${publisher.id} had ${due - before} micros due on ${date}, and was paid ${micros}`;
        require("M5", micros === due - before, what);
      }
      before = due;
    }
  }
}

function isOldestFirst(run: Run): boolean {
  return run.options.assumptions["payout.order"] === "oldest-first";
}

/** All that was earned by the end of the cycle that is paid on a date. */
function dueBy(
  run: Run,
  reader: Reader,
  { id, joined }: { readonly id: string; readonly joined: string },
  date: string,
): number {
  const isMonthly = run.options.assumptions["payout.cycle"] === "monthly";
  const to = addDays(isMonthly ? `${date.slice(0, 8)}01` : mondayOf(date), -1);
  return reader.stats(id, { from: joined, to }).micros;
}

const courses: Readonly<Record<string, readonly string[]>> = {
  processing: ["processing", "on_hold", "failed", "paid", "reversed"],
  on_hold: ["on_hold", "processing", "paid"],
  failed: ["failed", "processing", "paid"],
  paid: ["paid", "reversed"],
  reversed: ["reversed"],
};

/** A payout once listed never changes, save for its status along the declared course, and its reference with it. */
export function M6(run: Run): void {
  const [first, second] = halves(withoutTimeTravel(run).steps);
  const player = replay(run.options, first);
  const listed = player.sim.publishers.list({ limit: 100 }).map(({ id }) => {
    return { id, payouts: readerOf(player.sim).payouts(id).payouts };
  });
  for (const action of second) player.play(action);
  const reader = readerOf(player.sim);
  for (const { id, payouts } of listed) {
    const now = new Map(reader.payouts(id).payouts.map((payout) => [payout.id, payout]));
    for (const before of payouts) {
      const after = now.get(before.id);
      // A full list loses its oldest to newer ones.
      if (after === undefined && now.size === MOST_LISTED) continue;
      require("M6", after !== undefined, `${id} no longer has the payout of ${before.date}`);
      const what = `${JSON.stringify(before)} became ${JSON.stringify(after)}`;
      require("M6", after.date === before.date && after.micros === before.micros, what);
      require("M6", courses[before.status]?.includes(after.status) === true, what);
      const wasMade = before.status === "paid" || before.status === "reversed";
      require("M6", !wasMade || after.reference === before.reference, what);
    }
  }
}
