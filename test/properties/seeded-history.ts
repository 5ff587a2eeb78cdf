/** The seeded history of a simulator, as the oracle takes it: figures of days before anything was recorded. */

import type { Simulator } from "../../src/index.ts";
import { addDays, dayOfInstant } from "../oracle/calendar.ts";
import { type Call, plainCall, requestOf } from "../oracle/calls.ts";
import type { History } from "../oracle/expectation.ts";
import { microsOf } from "../oracle/money.ts";

/** With these, every figure is exact to the micro, today's included. */
const exactFigures = {
  "errors.body": "problem",
  "money.precision": "exact",
  "response.form": "documented",
  "stats.today": "live",
  "stats.surfaces": "all",
} as const;

/** The seeded history of a simulator, read from a fork in which nothing is ever recorded. */
export function historyOf(sim: Simulator): History {
  const world = sim.fork();
  world.clock.set({ mode: "frozen" });
  world.faults.clear();
  world.assume(exactFigures);
  const yesterday = addDays(dayOfInstant(world.clock.now(), sim.assumptions["date.timezone"]), -1);
  const { total } = world.publishers;
  const joined = new Map(
    world.publishers.list({ limit: total }).map((one) => [one.id, one.joined]),
  );
  const read = new Map<string, ReturnType<History>>();
  return (publisherId, range) => {
    const first = joined.get(publisherId);
    const from = first === undefined || range.from > first ? range.from : first;
    const to = range.to < yesterday ? range.to : yesterday;
    // A publisher that signed up later has no history.
    if (first === undefined || from > to) return { impressions: 0, clicks: 0, micros: 0 };
    const known = { publisher_id: publisherId, from, to, surface: range.surface };
    const name = JSON.stringify(known);
    const figures = read.get(name) ?? figuresOf(world, publisherId, known);
    read.set(name, figures);
    return figures;
  };
}

function figuresOf(
  world: Simulator,
  publisherId: string,
  values: Call["values"],
): ReturnType<History> {
  // A new key always has quota left.
  const { apiKey } = world.publishers.rotateKey(publisherId);
  const { status, body } = world.handle(requestOf(plainCall("stats", values), apiKey));
  if (status !== 200) throw new Error(`Can't read the history of ${publisherId}: ${body}`);
  const { impressions, clicks, revenue_inr } = JSON.parse(body);
  return { impressions, clicks, micros: microsOf(revenue_inr) };
}
