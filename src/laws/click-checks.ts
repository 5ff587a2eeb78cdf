/** Checks of the laws of clicks (D4 and D5), which are listed with the other laws of recording. */

import type { Member } from "./client-exchange.ts";
import { joinedOf, readLifetime, readStats } from "./figures.ts";
import { ensure, inconclusive, type LawContext, steadyReadingsOf } from "./law.ts";
import {
  callerOf,
  creditOf,
  keyOf,
  operationOf,
  ownAnswersTo,
  subjectOf,
  undisturbedExchanges,
  valuesOf,
} from "./read-trace.ts";
import { ask, copyOf, impressionOf, outcomeOf, todayIn, type WorldCopy } from "./world-copy.ts";

export function clickTargets(played: LawContext): string {
  const targets = new Map<string, string>();
  for (const exchange of ownAnswersTo("click", played)) {
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

export function clicksInCopy(played: LawContext): string {
  const copy = copyOf(played);
  const eachCounts = copy.readings["click.repeat"] === "count";
  const [probe] = copy.probes;
  const values = impressionOf(probe, "law D4");
  const impression_id = outcomeOf(ask(copy, probe, "impression", values));
  const before = readLifetime(copy, probe);
  for (let sent = 0; sent < 2; sent += 1) ask(copy, probe, "click", { impression_id });
  const after = readLifetime(copy, probe);
  const clicks = after.clicks - before.clicks;
  ensure(
    clicks === (eachCounts ? 2 : 1),
    () => `two clicks on one impression counted ${clicks} times`,
  );
  // Clicks recorded under click.repeat=count stay counted when the choice changes.
  const mayExceed = eachCounts || played.trace.assumedAt !== undefined;
  for (const member of mayExceed ? [] : copy.members) {
    const { clicks: all, impressions } = readLifetime(copy, member);
    ensure(
      all <= impressions,
      () => `${member.id} has ${all} clicks on ${impressions} impressions`,
    );
    for (const { id } of member.surfaces.slice(0, played.sampleSize)) {
      const period = { from: joinedOf(member), to: todayIn(copy) };
      const of = readStats(copy, member, { ...period, surface: id });
      ensure(of.clicks <= of.impressions, () => `surface ${id}: ${of.text}`);
    }
  }
  return "two clicks on one impression, in a copy of the world";
}

export function invalidClicksInRun(played: LawContext): string {
  const readings = steadyReadingsOf(played);
  const accepts = readings["click.unknown"] === "accept-uncredited";
  const isAnybodys = readings["auth.key-scope"] === "any";
  const owners = new Map<string, string>();
  let clicks = 0;
  for (const [at, exchange] of undisturbedExchanges(played).entries()) {
    const operation = operationOf(exchange);
    const impression = operation === "impression" ? creditOf(exchange, "impression") : undefined;
    if (impression !== undefined)
      owners.set(impression.id, subjectOf(exchange, "impression", owners) ?? "");
    const click = operation === "click" ? creditOf(exchange, "click") : undefined;
    const caller = callerOf(played.trace, keyOf(exchange), at);
    if (click === undefined || caller === undefined) continue;
    clicks += 1;
    const target = valuesOf(exchange).get("impression_id") ?? "";
    const owner = owners.get(target);
    const isOwn = isAnybodys ? owner !== undefined : owner === caller;
    ensure(
      isOwn || (accepts && click.micros === 0),
      () =>
        `a click on ${owner === undefined ? "an unknown" : "a foreign"} impression got ${exchange.text}`,
    );
  }
  return clicks === 0 ? inconclusive("nothing was clicked") : `${clicks} clicks`;
}

export function invalidClicksInCopy(played: LawContext): string {
  const copy = copyOf(played);
  const [probe, other] = copy.probes;
  const [own, foreign] = [
    outcomeOf(ask(copy, probe, "impression", impressionOf(probe, "law D5"))),
    outcomeOf(ask(copy, other, "impression", impressionOf(other, "law D5"))),
  ];
  const before = figuresOf(copy, [probe, other]);
  const bound = copy.readings["auth.key-scope"] === "publisher";
  const invalidIds = ["unknown", own.slice(0, -1), `${own}x`, ...(bound ? [foreign] : [])];
  for (const impression_id of invalidIds) {
    const answer = ask(copy, probe, "click", { impression_id });
    const credit = creditOf(answer, "click");
    const accepts = copy.readings["click.unknown"] === "accept-uncredited";
    ensure(
      credit === undefined || (accepts && credit.micros === 0),
      () => `a click on ${impression_id} got ${answer.text}`,
    );
  }
  const after = figuresOf(copy, [probe, other]);
  ensure(before === after, () => `stray clicks changed ${before} to ${after}`);
  return `${invalidIds.length} stray clicks, in a copy of the world`;
}

function figuresOf(copy: WorldCopy, members: readonly Member[]): string {
  const shown: string[] = [];
  for (const member of members) {
    const { clicks, micros } = readLifetime(copy, member);
    shown.push(`${clicks} clicks and ${micros} micros of ${member.id}`);
  }
  return shown.join(", ");
}
