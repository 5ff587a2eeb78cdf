/** The laws of de-duplication and clicks (D1 to D5). */

import type { Assumptions, Choice } from "../../assumptions/catalogue.ts";
import type { Exchange, Member, Playing } from "../player/effects.ts";
import { type Aside, asideOf, ask, readLifetime, waitAside } from "./aside.ts";
import {
  type Evidence,
  type Invariant,
  invariant,
  notKnown,
  readingsOf,
  require,
  steadyReadingsOf,
} from "./evidence.ts";
import {
  type Credit,
  callerOf,
  codeOf,
  creditOf,
  keyOf,
  operationOf,
  ownAnswers,
  undisturbed,
  valuesOf,
} from "./reading.ts";

export const recording: readonly Invariant[] = [
  invariant(
    "D1",
    "An impression that is sent again inside the window counts once.",
    repeatsInRun,
    repeatsAside,
  ),
  invariant(
    "D2",
    "The window's edge is exact: a millisecond before it is a duplicate, at it is none.",
    windowEdge,
  ),
  invariant(
    "D3",
    "One session under two publishers never collides.",
    ownersInRun,
    sameSessionAside,
  ),
  invariant(
    "D4",
    "Clicks are no more than impressions, each on one impression of the same publisher.",
    clickTargets,
    clicksAside,
  ),
  invariant(
    "D5",
    "An unknown, foreign, malformed or truncated impression_id never credits anything.",
    strayClicksInRun,
    strayClicksAside,
  ),
];

/** What of an impression makes it the same as another of its publisher. */
const dedupKeys = {
  "surface-ad-session": ["surface", "ad_id", "session_id"],
  "surface-session": ["surface", "session_id"],
  session: ["session_id"],
} as const satisfies Record<Choice<"dedup.key">, readonly string[]>;

const HOUR_MS = 3_600_000;

const windowsMs = {
  "30m": HOUR_MS / 2,
  "24h": 24 * HOUR_MS,
  forever: Number.POSITIVE_INFINITY,
} as const satisfies Record<Choice<"dedup.window">, number>;

/** How long a repeat is one; no time at all where nothing is. */
function windowOf(readings: Assumptions): number {
  return readings["dedup.repeat"] === "count" ? 0 : windowsMs[readings["dedup.window"]];
}

/** Each impression with a session, held against those before it. */
function* repeatsInRun(evidence: Evidence): Playing<string> {
  const readings = steadyReadingsOf(evidence);
  const windowMs = windowOf(readings);
  const names = dedupKeys[readings["dedup.key"]];
  const counted = new Map<string, Credit & { readonly atMs: number }>();
  const ids = new Set<string>();
  let repeats = 0;
  for (const seen of undisturbed(evidence)) {
    if (operationOf(seen, readings) !== "impression") continue;
    const credit = creditOf(seen, "impression");
    const isConflict = codeOf(seen) === "duplicate_impression";
    if (credit === undefined && !isConflict) continue;
    const values = valuesOf(seen);
    const parts = ["publisher_id", ...names].map((name) => values.get(name));
    const same = JSON.stringify(parts);
    const hasSession = values.has("session_id");
    const original = hasSession ? counted.get(same) : undefined;
    const isRepeat = original !== undefined && seen.atMs - original.atMs < windowMs;
    if (isRepeat) repeats += 1;
    const isNew = credit !== undefined && !ids.has(credit.id);
    require(isNew !== isRepeat, () =>
      `${same} counted ${original === undefined ? "never" : `${seen.atMs - original.atMs} ms ago`}, and now got ${seen.text}`);
    if (isRepeat && credit !== undefined) repeated(credit, original, readings);
    if (credit === undefined || !isNew) continue;
    ids.add(credit.id);
    if (hasSession) counted.set(same, { ...credit, atMs: seen.atMs });
  }
  return repeats === 0
    ? notKnown("no impression was sent again in its session")
    : `${repeats} repeats`;
}

/** Of a repeat that is answered with a success. */
function repeated({ id, micros }: Credit, original: Credit, readings: Assumptions): void {
  const what = `a duplicate of ${original.id}`;
  const reading = readings["dedup.repeat"];
  require(reading !== "conflict", () => `${what} was accepted under dedup.repeat=conflict`);
  require(id === original.id, () => `${what} got the id ${id}`);
  const due = reading === "replay" ? original.micros : 0;
  require(micros === due, () => `${what} was credited ${micros} micros, not ${due}`);
}

/** What came of an impression aside: its id, or that it was refused as a repeat. */
function outcomeOf(answer: Exchange): string {
  if (answer.status === 409) return "repeat";
  const credit = creditOf(answer, "impression");
  return (
    credit?.id ??
    notKnown(`an impression aside was answered with ${answer.status || answer.outcome}`)
  );
}

function impressionOf(member: Member, session_id: string): Readonly<Record<string, string>> {
  return { surface: member.surfaces[0]?.id ?? "none", ad_id: "probe", session_id };
}

function* repeatsAside(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const { readings, labs } = aside;
  const [lab] = labs;
  const values = impressionOf(lab, "law D1");
  const before = yield* readLifetime(aside, lab);
  const outcomes: string[] = [];
  let earned = 0;
  let first: Credit | undefined;
  for (let sent = 0; sent < 3; sent += 1) {
    const answer = yield* ask(aside, lab, "impression", values);
    const outcome = outcomeOf(answer);
    const credit = creditOf(answer, "impression");
    if (!outcomes.includes(outcome)) earned += credit?.micros ?? 0;
    outcomes.push(outcome);
    if (first !== undefined && credit !== undefined && windowOf(readings) > 0)
      repeated(credit, first, readings);
    first ??= credit;
  }
  const after = yield* readLifetime(aside, lab);
  const count = windowOf(readings) === 0 ? 3 : 1;
  const found = after.impressions - before.impressions;
  require(found === count, () =>
    `an impression sent three times counted ${found} times, not ${count}`);
  const micros = after.micros - before.micros;
  require(micros === earned, () => `it was credited ${earned} micros, ${micros} are on record`);
  const different = new Set(outcomes.filter((outcome) => outcome !== "repeat")).size;
  require(different === count, () => `sent three times it got ${different} ids, not ${count}`);
  return "an impression sent three times, aside";
}

const FOREVER_MS = 365 * 24 * HOUR_MS;
const MINUTE_MS = 60_000;

function* windowEdge(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const [, lab] = aside.labs;
  const windowMs = windowOf(aside.readings);
  if (windowMs === 0) notKnown("nothing is a duplicate under dedup.repeat=count");
  const hasEdge = Number.isFinite(windowMs);
  const spanMs = hasEdge ? windowMs : FOREVER_MS;
  const record = function* (session: string): Playing<string> {
    return outcomeOf(yield* ask(aside, lab, "impression", impressionOf(lab, session)));
  };
  const first = yield* record("law D2");
  // A later one keeps the memory of the first alive: it is the window that has to let it pass.
  yield* waitAside(aside, spanMs - MINUTE_MS);
  yield* record("law D2, later");
  yield* waitAside(aside, MINUTE_MS - 1);
  const inside = yield* record("law D2");
  require(inside === first || inside === "repeat", () =>
    `${spanMs - 1} ms later it counted again, as ${inside}`);
  yield* waitAside(aside, 1);
  const outside = yield* record("law D2");
  const isFresh = outside !== first && outside !== "repeat";
  require(isFresh === hasEdge, () =>
    hasEdge ? `${spanMs} ms later it was still a duplicate` : "after a year it was forgotten");
  return hasEdge ? `both sides of ${spanMs} ms, aside` : "a repeat a year later, aside";
}

/** An id is given to one publisher only. */
function* ownersInRun(evidence: Evidence): Playing<string> {
  const { assumptions, trace } = evidence;
  const readings = assumptions === undefined ? undefined : readingsOf(evidence);
  const owners = new Map<string, string>();
  for (const seen of ownAnswers(evidence)) {
    if (seen.at < (trace.assumedAt ?? 0)) continue;
    if (operationOf(seen, readings) !== "impression") continue;
    const credit = creditOf(seen, "impression");
    const publisher = valuesOf(seen).get("publisher_id");
    if (credit === undefined || publisher === undefined) continue;
    const owner = owners.get(credit.id) ?? publisher;
    owners.set(credit.id, owner);
    require(owner === publisher, () => `${credit.id} is ${owner}'s and ${publisher}'s`);
  }
  const publishers = new Set(owners.values()).size;
  return publishers < 2
    ? notKnown("fewer than two publishers recorded anything")
    : `${owners.size} impressions of ${publishers} publishers`;
}

function* sameSessionAside(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const ids: string[] = [];
  for (const lab of aside.labs)
    ids.push(outcomeOf(yield* ask(aside, lab, "impression", impressionOf(lab, "law D3"))));
  const [first, second] = ids;
  require(second !== "repeat" && first !== second, () =>
    `the session of one publisher is a repeat of another's: ${first} and ${second}`);
  return "one session under two publishers, aside";
}

function* clickTargets(evidence: Evidence): Playing<string> {
  const { assumptions, trace } = evidence;
  const readings = assumptions === undefined ? undefined : readingsOf(evidence);
  const targets = new Map<string, string>();
  for (const seen of ownAnswers(evidence)) {
    if (seen.at < (trace.assumedAt ?? 0)) continue;
    if (operationOf(seen, readings) !== "click") continue;
    const credit = creditOf(seen, "click");
    if (credit === undefined) continue;
    const impression = valuesOf(seen).get("impression_id") ?? "";
    const before = targets.get(credit.id) ?? impression;
    targets.set(credit.id, before);
    require(before === impression, () =>
      `${credit.id} is a click on ${before} and on ${impression}`);
  }
  return targets.size === 0 ? notKnown("nothing was clicked") : `${targets.size} clicks`;
}

function* clicksAside(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const eachCounts = aside.readings["click.repeat"] === "count";
  const [lab] = aside.labs;
  const values = impressionOf(lab, "law D4");
  const { impression_id } = {
    impression_id: outcomeOf(yield* ask(aside, lab, "impression", values)),
  };
  const before = yield* readLifetime(aside, lab);
  for (let sent = 0; sent < 2; sent += 1) yield* ask(aside, lab, "click", { impression_id });
  const after = yield* readLifetime(aside, lab);
  const clicks = after.clicks - before.clicks;
  require(clicks === (eachCounts ? 2 : 1), () =>
    `two clicks on one impression counted ${clicks} times`);
  // Clicks that once all counted stay counted under other readings.
  const mayExceed = eachCounts || evidence.trace.assumedAt !== undefined;
  for (const member of mayExceed ? [] : aside.members) {
    const { clicks: all, impressions } = yield* readLifetime(aside, member);
    require(all <= impressions, () =>
      `${member.id} has ${all} clicks on ${impressions} impressions`);
  }
  return "two clicks on one impression, aside";
}

function* strayClicksInRun(evidence: Evidence): Playing<string> {
  const readings = steadyReadingsOf(evidence);
  const accepts = readings["click.unknown"] === "accept-uncredited";
  const isAnybodys = readings["auth.key-scope"] === "any";
  const given = new Map<string, string>();
  let clicks = 0;
  for (const [at, seen] of undisturbed(evidence).entries()) {
    const operation = operationOf(seen, readings);
    const impression = operation === "impression" ? creditOf(seen, "impression") : undefined;
    if (impression !== undefined)
      given.set(impression.id, valuesOf(seen).get("publisher_id") ?? "");
    const click = operation === "click" ? creditOf(seen, "click") : undefined;
    const caller = callerOf(evidence.trace, keyOf(seen, readings), at);
    if (click === undefined || caller === undefined) continue;
    clicks += 1;
    const target = valuesOf(seen).get("impression_id") ?? "";
    const owner = given.get(target);
    const isOwn = isAnybodys ? owner !== undefined : owner === caller;
    require(isOwn || (accepts && click.micros === 0), () =>
      `a click on ${owner === undefined ? "an unknown" : "a foreign"} impression got ${seen.text}`);
  }
  return clicks === 0 ? notKnown("nothing was clicked") : `${clicks} clicks`;
}

function* strayClicksAside(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const [lab, other] = aside.labs;
  const [own, foreign] = [
    outcomeOf(yield* ask(aside, lab, "impression", impressionOf(lab, "law D5"))),
    outcomeOf(yield* ask(aside, other, "impression", impressionOf(other, "law D5"))),
  ];
  const before = yield* figuresOf(aside, [lab, other]);
  const bound = aside.readings["auth.key-scope"] === "publisher";
  const strays = ["unknown", own.slice(0, -1), `${own}x`, ...(bound ? [foreign] : [])];
  for (const impression_id of strays) {
    const answer = yield* ask(aside, lab, "click", { impression_id });
    const credit = creditOf(answer, "click");
    const accepts = aside.readings["click.unknown"] === "accept-uncredited";
    require(credit === undefined || (accepts && credit.micros === 0), () =>
      `a click on ${impression_id} got ${answer.text}`);
  }
  const after = yield* figuresOf(aside, [lab, other]);
  require(before === after, () => `stray clicks made ${before} of ${after}`);
  return `${strays.length} stray clicks, aside`;
}

function* figuresOf(aside: Aside, members: readonly Member[]): Playing<string> {
  const shown: string[] = [];
  for (const member of members) {
    const { clicks, micros } = yield* readLifetime(aside, member);
    shown.push(`${clicks} clicks and ${micros} micros of ${member.id}`);
  }
  return shown.join(", ");
}
