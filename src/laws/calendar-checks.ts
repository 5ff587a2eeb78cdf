/** Checks of law S8: runs the same actions under the other calendar, and adds up days independently. */

import { DAY_MS } from "../base/duration.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import { readStats } from "./figures.ts";
import { ensure, inconclusive } from "./law.ts";
import { addDays, dayAt, midnightOf, recordedIn } from "./read-trace.ts";
import { legibleRunOf, type Rerun } from "./rerun.ts";
import { newWorld } from "./rerun-plan.ts";
import { prepareCopy, type WorldCopy, waitIn } from "./world-copy.ts";

/** Compares the totals since the start. In each calendar the seeded history ends on the day before. */
export function sameTotals(rerun: Rerun): string {
  const { played, options, sim } = legibleRunOf(rerun);
  const timezone = sim.assumptions["date.timezone"] === "utc" ? "ist" : "utc";
  const assumptions = { ...options.assumptions, "date.timezone": timezone } as const;
  const other = rerun.playWith({ options: { ...options, assumptions } }).sim;
  const startMs = newWorld(rerun.plan, options).clock.now();
  const [here = [], there = []] = [sim, other].map((world) => {
    const { assumptions: readings } = world;
    const copy = settledCopy(world);
    const range = { from: dayAt(startMs, readings), to: dayAt(world.clock.now(), readings) };
    return played.members.map((member) => {
      const { impressions, clicks, micros } = readStats(copy, member, range);
      return `${impressions} impressions, ${clicks} clicks, ${micros} micros`;
    });
  });
  for (const [place, { id }] of played.members.entries()) {
    ensure(
      here[place] === there[place],
      () => `${id} has ${here[place]} by one calendar, ${there[place]} by the other`,
    );
  }
  return `${played.members.length} publishers by both calendars`;
}

/** Waits for the next midnight of the calendar, because stats may lag by a day. */
function settledCopy(world: SimulatorCore): WorldCopy {
  const readings = world.assumptions;
  const copy = prepareCopy(world.fork(), readings, []);
  copy.sim.assume({ "stats.today": readings["stats.today"] });
  const today = dayAt(copy.sim.clock.now(), readings);
  waitIn(copy, midnightOf(addDays(today, 1), readings) - copy.sim.clock.now());
  return copy;
}

/** Compares the events of each day with stats. A day in India begins at 18:30 UTC of the day before. */
export function daysApart(rerun: Rerun): string {
  const { played, sim } = legibleRunOf(rerun);
  const { assumptions: readings } = sim;
  const copy = prepareCopy(sim.fork(), readings, []);
  const events = recordedIn(played);
  let looked = 0;
  for (const member of played.members) {
    const own = events.filter(({ publisher }) => publisher === member.id);
    const days = new Set(own.map(({ atMs }) => dayAt(atMs, readings)));
    for (const day of Array.from(days).slice(-4)) {
      looked += 1;
      const begin = midnightOf(day, readings);
      const onDay = own.filter(({ atMs }) => atMs >= begin && atMs < begin + DAY_MS);
      const micros = onDay.reduce((sum, one) => sum + one.micros, 0);
      const shown = readStats(copy, member, { from: day, to: day });
      const isAll = shown.impressions + shown.clicks === onDay.length && shown.micros === micros;
      ensure(
        isAll,
        () =>
          `${onDay.length} events of ${member.id} on ${day} came to ${micros} micros, but: ${shown.text}`,
      );
    }
  }
  return looked === 0 ? inconclusive("nothing was recorded") : `${looked} days with events`;
}
