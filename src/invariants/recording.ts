/** The invariants of de-duplication and clicks (D2 to D4). */

import { DAY_MS, durationMs, MINUTE_MS } from "../base/duration.ts";
import type { EventKind } from "../spec/operations.ts";
import { creditOf, valuesOf } from "./answers.ts";
import type { Played } from "./client-exchange.ts";
import { ensure, ensureEach, inconclusive } from "./ensure.ts";
import { ask, type Invariant, readStats, recordIn, type WorldCopy, waitIn } from "./invariant.ts";

export const recordingInvariants: readonly Invariant[] = [
  { id: "D2", says: "The de-duplication window is exact to the millisecond.", tried: windowEdge },
  {
    id: "D3",
    says: "The same session at two publishers is never a duplicate.",
    seen: (played) => eachHasOne(played, "impression", "publisher_id"),
    tried: sameSession,
  },
  {
    id: "D4",
    says: "There are no more clicks than impressions, and each is on one impression of the same publisher.",
    seen: (played) => eachHasOne(played, "click", "impression_id"),
    tried: clicksInCopy,
  },
];

function windowEdge(copy: WorldCopy): string {
  const { assumptions } = copy.sim;
  const [, probe] = copy.probes;
  if (assumptions["dedup.repeat"] === "count")
    inconclusive("nothing is a duplicate under dedup.repeat=count");
  const window = assumptions["dedup.window"];
  const spanMs = window === "forever" ? 3650 * DAY_MS : durationMs(window);
  const first = recordIn(copy, probe, "D2");
  const repeats = (): boolean => ["repeat", first].includes(recordIn(copy, probe, "D2"));
  // A later session keeps the service's memory in use, so that only the window can make it forget the first.
  waitIn(copy, spanMs - MINUTE_MS);
  recordIn(copy, probe, "D2, later");
  waitIn(copy, MINUTE_MS - 1);
  ensure(repeats(), `${spanMs - 1} ms later it counted again`);
  waitIn(copy, 1);
  if (window === "forever") ensure(repeats(), "after ten years it was forgotten");
  else ensure(!repeats(), `${spanMs} ms later it was still a duplicate`);
  return `both sides of ${spanMs} ms`;
}

/** Each event of this kind must be recorded for one value of the parameter only. */
function eachHasOne(played: Played, kind: EventKind, parameter: string): string {
  const values = new Map<string, string>();
  const recorded = played.trace.ownAnswers(kind).flatMap((exchange) => {
    const id = creditOf(exchange, kind)?.id;
    const value = valuesOf(exchange).get(parameter);
    return id === undefined || value === undefined ? [] : { id, value };
  });
  const found = ensureEach(recorded, `recorded ${kind}s`, ({ id, value }) => {
    const first = values.get(id) ?? value;
    values.set(id, first);
    ensure(first === value, `${id} is of ${parameter} ${first} and of ${value}`);
  });
  if (new Set(values.values()).size < 2) inconclusive(`there was only one ${parameter}`);
  return found;
}

function sameSession(copy: WorldCopy): string {
  const [first, second] = copy.probes.map((probe) => recordIn(copy, probe, "D3"));
  const isNew = second !== "repeat" && first !== second;
  ensure(isNew, `one publisher's session is a repeat of another's: ${first} and ${second}`);
  return "one session under two publishers";
}

function clicksInCopy(copy: WorldCopy): string {
  const eachCounts = copy.sim.assumptions["click.repeat"] === "count";
  const [probe] = copy.probes;
  const impression_id = recordIn(copy, probe, "D4");
  const before = readStats(copy, probe);
  for (let sent = 0; sent < 2; sent += 1) ask(copy, probe, "click", { impression_id });
  const counted = readStats(copy, probe).clicks - before.clicks;
  ensure(counted === (eachCounts ? 2 : 1), `two clicks on one impression counted ${counted} times`);
  // Clicks recorded under click.repeat=count stay counted when the choice changes.
  const mayExceed = eachCounts || copy.trace.assumedAt !== undefined;
  for (const member of mayExceed ? [] : copy.members) {
    const { clicks, impressions } = readStats(copy, member);
    ensure(clicks <= impressions, `${member.id}: ${clicks} clicks on ${impressions} impressions`);
  }
  return "two clicks on one impression";
}
