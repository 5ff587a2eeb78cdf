/** The invariants of de-duplication and clicks (D2 to D4). */

import { HOUR_MS, MINUTE_MS } from "../base/duration.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import { ensure, inconclusive } from "./ensure.ts";
import { joinedOf, readLifetime, readStats } from "./figures.ts";
import type { Invariant } from "./invariant.ts";
import type { Log } from "./log.ts";
import { creditOf, ownAnswersTo, valuesOf } from "./read-trace.ts";
import {
  ask,
  impressionOf,
  outcomeOf,
  ownCopyOf,
  todayIn,
  type WorldCopy,
  waitIn,
} from "./world-copy.ts";

export const recordingInvariants: readonly Invariant[] = [
  {
    id: "D2",
    says: "The window is exact: an impression is a duplicate until its last millisecond, and not after.",
    tried: windowEdge,
  },
  {
    id: "D3",
    says: "The same session at two publishers is never a duplicate.",
    seen: ownersInRun,
    tried: sameSession,
  },
  {
    id: "D4",
    says: "There are no more clicks than impressions, and each is on one impression of the same publisher.",
    seen: clickTargets,
    tried: clicksInCopy,
  },
];

const windowsMs = {
  "30m": HOUR_MS / 2,
  "24h": 24 * HOUR_MS,
  forever: Number.POSITIVE_INFINITY,
} as const satisfies Record<Choice<"dedup.window">, number>;

const FOREVER_MS = 3650 * 24 * HOUR_MS;

function windowEdge(played: WorldCopy): string {
  const copy = ownCopyOf(played);
  const [, probe] = copy.probes;
  if (copy.assumptions["dedup.repeat"] === "count")
    inconclusive("nothing is a duplicate under dedup.repeat=count");
  const windowMs = windowsMs[copy.assumptions["dedup.window"]];
  const hasEdge = Number.isFinite(windowMs);
  const spanMs = hasEdge ? windowMs : FOREVER_MS;
  const record = (session: string): string =>
    outcomeOf(ask(copy, probe, "impression", impressionOf(probe, session)));
  const first = record("D2");
  // A later session keeps the service's memory in use, so that only the window can make it forget the first.
  waitIn(copy, spanMs - MINUTE_MS);
  record("D2, later");
  waitIn(copy, MINUTE_MS - 1);
  const inside = record("D2");
  ensure(
    inside === first || inside === "repeat",
    () => `${spanMs - 1} ms later it counted again, as ${inside}`,
  );
  waitIn(copy, 1);
  const outside = record("D2");
  const isFresh = outside !== first && outside !== "repeat";
  ensure(isFresh === hasEdge, () =>
    hasEdge ? `${spanMs} ms later it was still a duplicate` : "after ten years it was forgotten",
  );
  return hasEdge
    ? `both sides of ${spanMs} ms, in a copy of the world`
    : "a repeat ten years later, in a copy of the world";
}

/** Checks that no two publishers get the same impression_id. */
function ownersInRun(log: Log): string {
  const owners = new Map<string, string>();
  for (const exchange of ownAnswersTo("impression", log)) {
    const credit = creditOf(exchange, "impression");
    const publisher = valuesOf(exchange).get("publisher_id");
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

function sameSession(copy: WorldCopy): string {
  const [first, second] = copy.probes.map((probe) =>
    outcomeOf(ask(copy, probe, "impression", impressionOf(probe, "D3"))),
  );
  ensure(
    second !== "repeat" && first !== second,
    () => `the session of one publisher is a repeat of another's: ${first} and ${second}`,
  );
  return "one session under two publishers, in a copy of the world";
}

function clickTargets(log: Log): string {
  const targets = new Map<string, string>();
  for (const exchange of ownAnswersTo("click", log)) {
    const credit = creditOf(exchange, "click");
    if (credit === undefined) continue;
    const impression = valuesOf(exchange).get("impression_id") ?? "";
    const before = targets.get(credit.id) ?? impression;
    targets.set(credit.id, before);
    ensure(
      before === impression,
      () => `${credit.id} is a click on ${before} and on ${impression}`,
    );
  }
  return targets.size === 0 ? inconclusive("nothing was clicked") : `${targets.size} clicks`;
}

/** At most so many surfaces of a publisher are read. */
const MAX_TRIED = 4;

function clicksInCopy(copy: WorldCopy): string {
  const eachCounts = copy.assumptions["click.repeat"] === "count";
  const [probe] = copy.probes;
  const impression_id = outcomeOf(ask(copy, probe, "impression", impressionOf(probe, "D4")));
  const before = readLifetime(copy, probe);
  for (let sent = 0; sent < 2; sent += 1) ask(copy, probe, "click", { impression_id });
  const clicks = readLifetime(copy, probe).clicks - before.clicks;
  ensure(
    clicks === (eachCounts ? 2 : 1),
    () => `two clicks on one impression counted ${clicks} times`,
  );
  // Clicks recorded under click.repeat=count stay counted when the choice changes.
  const mayExceed = eachCounts || copy.trace.assumedAt !== undefined;
  for (const member of mayExceed ? [] : copy.members) {
    const { clicks: all, impressions } = readLifetime(copy, member);
    ensure(
      all <= impressions,
      () => `${member.id} has ${all} clicks on ${impressions} impressions`,
    );
    for (const { id } of member.surfaces.slice(0, MAX_TRIED)) {
      const period = { from: joinedOf(member), to: todayIn(copy) };
      const of = readStats(copy, member, { ...period, surface: id });
      ensure(of.clicks <= of.impressions, () => `surface ${id}: ${of.text}`);
    }
  }
  return "two clicks on one impression, in a copy of the world";
}
