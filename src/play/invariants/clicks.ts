/** How the laws of clicks (D4 and D5, listed with the other laws of recording) are looked at. */

import type { Member, Playing } from "../player/effects.ts";
import { type Aside, asideOf, ask, readLifetime } from "./aside.ts";
import { type Evidence, notKnown, readingsOf, require, steadyReadingsOf } from "./evidence.ts";
import { impressionOf, outcomeOf } from "./probes.ts";
import {
  callerOf,
  creditOf,
  keyOf,
  operationOf,
  ownAnswers,
  undisturbed,
  valuesOf,
} from "./reading.ts";

export function* clickTargets(evidence: Evidence): Playing<string> {
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

export function* clicksAside(evidence: Evidence): Playing<string> {
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

export function* strayClicksInRun(evidence: Evidence): Playing<string> {
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

export function* strayClicksAside(evidence: Evidence): Playing<string> {
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
