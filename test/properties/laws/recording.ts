/** The laws of de-duplication and clicks (D1 to D5). */

import { dedupWindowsMs } from "../../../src/testing/oracle/recording.ts";
import { ask, recorder } from "../asking.ts";
import { finalReaderOf } from "../reader.ts";
import { codeOf, creditOf, legible, pathOf, requestSteps, valuesOf } from "../reading.ts";
import { type Run, type RunOptions, require, withoutTimeTravel } from "../run.ts";

/** What of an impression makes it the same as another. */
const keys: Readonly<Record<string, readonly string[]>> = {
  "surface-ad-session": ["surface", "ad_id", "session_id"],
  "surface-session": ["surface", "session_id"],
  session: ["session_id"],
};

/** An impression sent n times inside the window counts once; where nothing is a duplicate, each time. */
export function D1(run: Run): void {
  const { assumptions } = run.options;
  const windowMs = windowOf(run.options);
  const names = keys[assumptions["dedup.key"]] ?? [];
  const counted = new Map<string, { atMs: number; id: string }>();
  const ids = new Set<string>();
  for (const { action, atMs, response } of requestSteps(legible(run).steps)) {
    if (pathOf(action.request) !== "/v1/impression") continue;
    const credit = creditOf(response);
    const isConflict = codeOf(response) === "duplicate_impression";
    if (credit === undefined && !isConflict) continue;
    const values = valuesOf(action.request);
    const session = values.get("session_id");
    const parts = names.map((name) => values.get(name));
    const same = [action.publisherId, ...parts, session === undefined ? atMs : ""].join("|");
    const original = session === undefined ? undefined : counted.get(same);
    const isRepeat = original !== undefined && atMs - original.atMs < windowMs;
    const isNew = credit !== undefined && credit.id !== original?.id;
    const what = `${same} at ${atMs}, counted at ${original?.atMs}: ${response.body}`;
    require("D1", isNew !== isRepeat, what);
    if (credit === undefined || !isNew) continue;
    require("D1", !ids.has(credit.id), `${credit.id} was given twice`);
    ids.add(credit.id);
    counted.set(same, { atMs, id: credit.id });
  }
}

/** How long a repeat is one; no time at all where nothing is. */
function windowOf({ assumptions }: RunOptions): number {
  return assumptions["dedup.repeat"] === "count" ? 0 : dedupWindowsMs[assumptions["dedup.window"]];
}

/** The window's edge is exact: W-1 ms is a duplicate, W is not. One without an end is there years later. */
export function D2(run: Run): void {
  const found = recorder(run.publishers);
  const windowMs = windowOf(run.options);
  if (found === undefined || windowMs === 0) return;
  const { publisher, surface } = found;
  const hasEdge = Number.isFinite(windowMs);
  const spanMs = hasEdge ? windowMs : 3650 * 86_400_000;
  const sim = run.sim.fork();
  sim.clock.advance("1h");
  const record = (session_id: string): string => {
    const response = ask(sim, publisher, "impression", { surface, ad_id: "edge", session_id });
    return response.status === 409 ? "repeat" : JSON.parse(response.body).impression_id;
  };
  const first = record("law D2");
  // A later one keeps the memory of the first alive: it is the window that has to let it pass.
  sim.clock.advance(spanMs - 60_000);
  record("law D2, later");
  sim.clock.advance(60_000 - 1);
  const inside = record("law D2");
  require("D2", inside === first || inside === "repeat", "W-1 ms later it counted again");
  sim.clock.advance(1);
  const outside = record("law D2");
  const isFresh = outside !== first && outside !== "repeat";
  const what = hasEdge ? "W ms later it was still a duplicate" : "after years it was forgotten";
  require("D2", isFresh === hasEdge, what);
}

/** The same session under two publishers never collides: an id belongs to one publisher. */
export function D3(run: Run): void {
  const owners = new Map<string, string>();
  for (const { action, response } of requestSteps(withoutTimeTravel(run).steps)) {
    const credit = creditOf(response);
    if (credit === undefined) continue;
    const owner = owners.get(credit.id) ?? action.publisherId;
    owners.set(credit.id, owner);
    const what = `${credit.id} is ${owner}'s and ${action.publisherId}'s`;
    require("D3", owner === action.publisherId, what);
  }
}

/** Clicks ≤ impressions, unless every click counts; each on one impression of the same publisher. */
export function D4(run: Run): void {
  const reader = finalReaderOf(run);
  const eachCounts = run.options.assumptions["click.repeat"] === "count";
  for (const { id, joined, surfaces } of eachCounts ? [] : run.publishers) {
    for (const surface of surfaces) {
      const range = { from: joined, to: reader.today, surface: surface.id };
      const { clicks, impressions, text } = reader.stats(id, range);
      require("D4", clicks <= impressions, text);
    }
  }
  const clicked = new Map<string, string>();
  for (const { action, response } of requestSteps(withoutTimeTravel(run).steps)) {
    const click = pathOf(action.request) === "/v1/click" ? creditOf(response) : undefined;
    if (click === undefined) continue;
    const impression = valuesOf(action.request).get("impression_id") ?? "";
    const before = clicked.get(click.id) ?? impression;
    clicked.set(click.id, impression);
    const what = `${click.id} is a click on ${before} and on ${impression}`;
    require("D4", before === impression, what);
  }
}

/** An unknown, foreign, malformed or truncated impression_id never credits anything, even where it is accepted. */
export function D5(run: Run): void {
  const accepts = run.options.assumptions["click.unknown"] === "accept-uncredited";
  const given = new Map<string, string>();
  for (const { action, response } of requestSteps(withoutTimeTravel(run).steps)) {
    const credit = creditOf(response);
    if (credit === undefined) continue;
    if (pathOf(action.request) === "/v1/impression") {
      given.set(credit.id, action.publisherId);
      continue;
    }
    const target = valuesOf(action.request).get("impression_id") ?? "";
    const isOwn = given.get(target) === action.publisherId;
    const what = `a click on ${target} got ${response.body}`;
    require("D5", isOwn || (accepts && credit.micros === 0), what);
  }
}
