/** The laws of de-duplication and clicks (D1 to D5). */

import { HOUR_MS, MINUTE_MS } from "../base/duration.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import {
  clicksInCopy,
  clickTargets,
  invalidClicksInCopy,
  invalidClicksInRun,
} from "./click-checks.ts";
import { readLifetime } from "./figures.ts";
import { ensure, inconclusive, type Law, type LawContext, steadyReadingsOf } from "./law.ts";
import {
  type Credit,
  codeOf,
  creditOf,
  operationOf,
  ownAnswersTo,
  subjectOf,
  undisturbedExchanges,
  valuesOf,
} from "./read-trace.ts";
import { checkLegibleRun } from "./rerun.ts";
import { ask, copyOf, impressionOf, outcomeOf, ownCopyOf, waitIn } from "./world-copy.ts";

export const recordingLaws: readonly Law[] = [
  {
    id: "D1",
    says: "An impression that is sent again within the window counts once.",
    checkTrace: repeatsInRun,
    checkCopy: repeatsInCopy,
    checkRerun: checkLegibleRun(repeatsInRun),
  },
  {
    id: "D2",
    says: "The window is exact: an impression is a duplicate until its last millisecond, and not after.",
    checkCopy: windowEdge,
  },
  {
    id: "D3",
    says: "The same session at two publishers is never a duplicate.",
    checkTrace: ownersInRun,
    checkCopy: sameSessionInCopy,
  },
  {
    id: "D4",
    says: "There are no more clicks than impressions, and each is on one impression of the same publisher.",
    checkTrace: clickTargets,
    checkCopy: clicksInCopy,
  },
  {
    id: "D5",
    says: "A click with an unknown, foreign, malformed or truncated impression_id never earns anything.",
    checkTrace: invalidClicksInRun,
    checkCopy: invalidClicksInCopy,
  },
];

/** The parameters by which an impression is the same as another of its publisher. */
const dedupKeys = {
  "surface-ad-session": ["surface", "ad_id", "session_id"],
  "surface-session": ["surface", "session_id"],
  session: ["session_id"],
} as const satisfies Record<Choice<"dedup.key">, readonly string[]>;

const windowsMs = {
  "30m": HOUR_MS / 2,
  "24h": 24 * HOUR_MS,
  forever: Number.POSITIVE_INFINITY,
} as const satisfies Record<Choice<"dedup.window">, number>;

/** How long a repeat counts as a duplicate; 0 if it never does. */
function windowOf(readings: Assumptions): number {
  return readings["dedup.repeat"] === "count" ? 0 : windowsMs[readings["dedup.window"]];
}

/** Compares each impression with a session with those before it. */
function repeatsInRun(played: LawContext): string {
  const readings = steadyReadingsOf(played);
  const windowMs = windowOf(readings);
  const names = dedupKeys[readings["dedup.key"]];
  const counted = new Map<string, Credit & { readonly atMs: number }>();
  const ids = new Set<string>();
  let repeats = 0;
  for (const exchange of undisturbedExchanges(played)) {
    if (operationOf(exchange) !== "impression") continue;
    const credit = creditOf(exchange, "impression");
    if (credit === undefined && codeOf(exchange) !== "duplicate_impression") continue;
    const values = valuesOf(exchange);
    const subject = subjectOf(exchange, "impression", noOwners);
    const parts = [subject, ...names.map((name) => values.get(name))];
    const same = JSON.stringify(parts);
    const hasSession = values.has("session_id");
    const original = hasSession ? counted.get(same) : undefined;
    const isRepeat = original !== undefined && exchange.atMs - original.atMs < windowMs;
    if (isRepeat) repeats += 1;
    const isNew = credit !== undefined && !ids.has(credit.id);
    ensure(
      isNew !== isRepeat,
      () =>
        `${same} counted ${original === undefined ? "never" : `${exchange.atMs - original.atMs} ms ago`}, and now got ${exchange.text}`,
    );
    if (isRepeat && credit !== undefined) ensureRepeatCredit(credit, original, readings);
    if (credit === undefined || !isNew) continue;
    ids.add(credit.id);
    if (hasSession) counted.set(same, { ...credit, atMs: exchange.atMs });
  }
  return repeats === 0
    ? inconclusive("no impression was sent again in its session")
    : `${repeats} repeats`;
}

const noOwners: ReadonlyMap<string, string> = new Map();

/** Checks a repeat that was answered with a success. */
function ensureRepeatCredit({ id, micros }: Credit, original: Credit, readings: Assumptions): void {
  const what = `a duplicate of ${original.id}`;
  const choice = readings["dedup.repeat"];
  ensure(choice !== "conflict", () => `${what} was accepted under dedup.repeat=conflict`);
  ensure(id === original.id, () => `${what} got the id ${id}`);
  const due = choice === "replay" ? original.micros : 0;
  ensure(micros === due, () => `${what} was credited ${micros} micros, not ${due}`);
}

function repeatsInCopy(played: LawContext): string {
  const copy = copyOf(played);
  const { readings, probes } = copy;
  const [probe] = probes;
  const values = impressionOf(probe, "law D1");
  const before = readLifetime(copy, probe);
  const outcomes: string[] = [];
  let earned = 0;
  let first: Credit | undefined;
  for (let sent = 0; sent < 3; sent += 1) {
    const answer = ask(copy, probe, "impression", values);
    const outcome = outcomeOf(answer);
    const credit = creditOf(answer, "impression");
    if (!outcomes.includes(outcome)) earned += credit?.micros ?? 0;
    outcomes.push(outcome);
    if (first !== undefined && credit !== undefined && windowOf(readings) > 0)
      ensureRepeatCredit(credit, first, readings);
    first ??= credit;
  }
  const after = readLifetime(copy, probe);
  const count = windowOf(readings) === 0 ? 3 : 1;
  const found = after.impressions - before.impressions;
  ensure(
    found === count,
    () => `an impression sent three times counted ${found} times, not ${count}`,
  );
  const micros = after.micros - before.micros;
  ensure(micros === earned, () => `it was credited ${earned} micros, ${micros} are on record`);
  const different = new Set(outcomes.filter((outcome) => outcome !== "repeat")).size;
  ensure(different === count, () => `sent three times it got ${different} ids, not ${count}`);
  return "an impression sent three times, in a copy of the world";
}

const FOREVER_MS = 3650 * 24 * HOUR_MS;

function windowEdge(played: LawContext): string {
  const copy = ownCopyOf(played);
  const [, probe] = copy.probes;
  const windowMs = windowOf(copy.readings);
  if (windowMs === 0) inconclusive("nothing is a duplicate under dedup.repeat=count");
  const hasEdge = Number.isFinite(windowMs);
  const spanMs = hasEdge ? windowMs : FOREVER_MS;
  const record = (session: string): string =>
    outcomeOf(ask(copy, probe, "impression", impressionOf(probe, session)));
  const first = record("law D2");
  // A later session keeps the service's memory in use, so that only the window can make it forget the first.
  waitIn(copy, spanMs - MINUTE_MS);
  record("law D2, later");
  waitIn(copy, MINUTE_MS - 1);
  const inside = record("law D2");
  ensure(
    inside === first || inside === "repeat",
    () => `${spanMs - 1} ms later it counted again, as ${inside}`,
  );
  waitIn(copy, 1);
  const outside = record("law D2");
  const isFresh = outside !== first && outside !== "repeat";
  ensure(isFresh === hasEdge, () =>
    hasEdge ? `${spanMs} ms later it was still a duplicate` : "after ten years it was forgotten",
  );
  return hasEdge
    ? `both sides of ${spanMs} ms, in a copy of the world`
    : "a repeat ten years later, in a copy of the world";
}

/** Checks that no two publishers get the same impression_id. */
function ownersInRun(played: LawContext): string {
  const owners = new Map<string, string>();
  for (const exchange of ownAnswersTo("impression", played)) {
    const credit = creditOf(exchange, "impression");
    const publisher = subjectOf(exchange, "impression", noOwners);
    if (credit === undefined || publisher === undefined) continue;
    const owner = owners.get(credit.id) ?? publisher;
    owners.set(credit.id, owner);
    ensure(owner === publisher, () => `${credit.id} is ${owner}'s and ${publisher}'s`);
  }
  const publishers = new Set(owners.values()).size;
  return publishers < 2
    ? inconclusive("fewer than two publishers recorded anything")
    : `${owners.size} impressions of ${publishers} publishers`;
}

function sameSessionInCopy(played: LawContext): string {
  const copy = copyOf(played);
  const ids: string[] = [];
  for (const probe of copy.probes)
    ids.push(outcomeOf(ask(copy, probe, "impression", impressionOf(probe, "law D3"))));
  const [first, second] = ids;
  ensure(
    second !== "repeat" && first !== second,
    () => `the session of one publisher is a repeat of another's: ${first} and ${second}`,
  );
  return "one session under two publishers, in a copy of the world";
}
