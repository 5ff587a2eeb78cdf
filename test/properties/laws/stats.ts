/** The laws of stats (S1 to S8). Where stats lag behind by a day, they are read a day later, when all is visible. */

import { addDays, dayOfInstant, midnightOffsetsMs } from "../../../src/testing/oracle/calendar.ts";
import { ask, recorder } from "../asking.ts";
import {
  finalReaderOf,
  type Reader,
  readerOf,
  type StatsAnswer,
  settledReaderOf,
  todayOf,
} from "../reader.ts";
import { recordedIn } from "../reading.ts";
import {
  halves,
  type Run,
  type RunOptions,
  replay,
  require,
  stateOf,
  withoutTimeTravel,
} from "../run.ts";

/** stats[a,c] = stats[a,b] + stats[b+1,c]. Of amounts that aren't rounded: rounded ones needn't add up. */
export function S1(of: Run): void {
  const run = of.exact ?? of;
  const reader = finalReaderOf(run);
  for (const { id, joined } of run.publishers) {
    const days = interestingDays(run, joined);
    for (let index = 0; index + 2 < days.length; index += 1) {
      const [a = "", b = "", c = ""] = days.slice(index, index + 3);
      const whole = reader.stats(id, { from: a, to: c });
      const parts = [
        reader.stats(id, { from: a, to: b }),
        reader.stats(id, { from: addDays(b, 1), to: c }),
      ];
      for (const figure of ["impressions", "clicks", "micros"] as const) {
        const sum = parts.reduce((total, part) => total + part[figure], 0);
        const what = `${figure} of ${id} from ${a} over ${b} to ${c}: ${whole[figure]}, in parts ${sum}`;
        require("S1", whole[figure] === sum, what);
      }
    }
  }
}

/** Totals = Σ surfaces. Of amounts that aren't rounded. */
export function S2(of: Run): void {
  const { publishers } = of;
  const reader = finalReaderOf(of.exact ?? of);
  for (const publisher of publishers) {
    const { today } = reader;
    for (const { impressions, micros, surfaces, text } of [
      reader.stats(publisher.id),
      // Today may have a late click and nothing else.
      reader.stats(publisher.id, { from: today, to: today }),
      reader.lifetime(publisher),
    ]) {
      const sum = (figure: "impressions" | "micros"): number =>
        surfaces.reduce((total, row) => total + row[figure], 0);
      require("S2", impressions === sum("impressions") && micros === sum("micros"), text);
    }
  }
}

/** With `surface=s` the totals are those of s, and over all s they add up. */
export function S3(run: Run): void {
  const reader = finalReaderOf(run);
  for (const { id, joined, surfaces } of run.publishers) {
    const range = { from: joined, to: reader.today };
    const all = reader.stats(id, range);
    let clicks = 0;
    for (const surface of surfaces) {
      const one = reader.stats(id, { ...range, surface: surface.id });
      // A surface without traffic may have no row.
      const nothing = { id: surface.id, impressions: 0, micros: 0 };
      const among = rowOf(all, surface.id) ?? nothing;
      const alone = rowOf(one, surface.id) ?? nothing;
      clicks += one.clicks;
      const what = `${surface.id} alone: ${one.text}; among all: ${all.text}`;
      require("S3", one.impressions === among.impressions && one.micros === among.micros, what);
      require("S3", JSON.stringify(alone) === JSON.stringify(among), what);
      const others = one.surfaces.filter((row) => row.id !== surface.id);
      const areZero = others.every((row) => row.impressions === 0 && row.micros === 0);
      const mayBe = run.options.assumptions["stats.filter-unlisted"] === "zeroed";
      require("S3", areZero && (others.length === 0 || mayBe), what);
    }
    const sum = `clicks of ${id}: ${clicks} by surface, ${all.clicks} in all`;
    require("S3", clicks === all.clicks, sum);
  }
}

function rowOf({ surfaces }: StatsAnswer, id: string): StatsAnswer["surfaces"][number] | undefined {
  return surfaces.find((row) => row.id === id);
}

/** The default period is [today-30, today]. */
export function S4(run: Run): void {
  const reader = readerOf(run.sim);
  const to = reader.today;
  const from = addDays(to, -30);
  for (const { id } of run.publishers) {
    const queries: Readonly<Record<string, string>>[] = [{}, { from }, { to }, { from, to }];
    const answers = queries.map((query) => reader.stats(id, query));
    const texts = new Set(answers.map(({ text }) => text));
    const [first] = answers;
    const isIt = first?.period.from === from && first.period.to === to;
    require("S4", texts.size === 1 &&
      isIt, `the default of ${id} isn't ${from} to ${to}: ${first?.text}`);
  }
}

/** A GET changes nothing but limiter and journal. */
export function S5(run: Run): void {
  const sim = run.sim.fork();
  for (const publisher of run.publishers) {
    // The first request opens the account, which a snapshot shows.
    ask(sim, publisher, "surfaces");
    const before = stateOf(sim);
    ask(sim, publisher, "stats");
    const surface = publisher.surfaces[0]?.id;
    ask(sim, publisher, "stats", { surface, from: "2020-01-01" });
    ask(sim, publisher, "stats", { from: "2026-02-30" });
    ask(sim, publisher, "surfaces");
    ask(sim, publisher, "payouts", { limit: "3" });
    ask(sim, publisher, "payouts", { limit: "999" });
    require("S5", stateOf(sim) === before, `reading changed the state of ${publisher.id}`);
  }
}

/** Permuting a day's events of one surface leaves stats unchanged. */
export function S6(run: Run): void {
  const found = recorder(run.publishers);
  if (found === undefined) return;
  const { publisher, surface } = found;
  // Sessions tie events to their order; without them an event is one of many.
  const count = 3 + (run.steps.length % 20);
  const played = (order: readonly number[]): string => {
    const sim = run.sim.fork();
    const own = sim.publishers.rotateKey(publisher.id);
    sim.clock.advance("1m");
    for (const ad of order) {
      const made = ask(sim, own, "impression", { surface, ad_id: `ad ${ad}` });
      if (ad % 3 !== 0) continue;
      const { impression_id } = JSON.parse(made.body);
      ask(sim, own, "click", { impression_id });
    }
    return settledReaderOf(sim).lifetime(publisher).text;
  };
  const order = Array.from({ length: count }, (_, ad) => ad);
  const shuffled = order.toSorted((a, b) => ((a * 7) % 5) - ((b * 7) % 5) || b - a);
  const same = played(order) === played(shuffled);
  require("S6", same, `stats of ${publisher.id} follow the order of events`);
}

/** Past days are immutable. */
export function S7(run: Run): void {
  const [first, second] = halves(withoutTimeTravel(run).steps);
  const player = replay(run.options, first);
  const yesterday = addDays(todayOf(player.sim), -1);
  const asked = player.sim.publishers
    .list({ limit: 100 })
    .filter(({ joined }) => joined <= yesterday)
    .map(({ id, joined }) => ({ id, query: { from: joined, to: yesterday } }));
  const read = (reader: Reader): string[] =>
    asked.map(({ id, query }) => reader.stats(id, query).text);
  const before = read(readerOf(player.sim));
  for (const action of second) player.play(action);
  const after = read(readerOf(player.sim));
  for (const [index, text] of before.entries())
    require("S7", after[index] === text, `${text} became ${after[index]}`);
}

const DAY_MS = 86_400_000;

/** UTC and IST partitions of the same instants have equal grand totals; IST day d is [d-1 18:30Z, d 18:30Z). */
export function S8(of: Run): void {
  const run = withoutTimeTravel(of.exact ?? of);
  const { assumptions } = run.options;
  const other = assumptions["date.timezone"] === "utc" ? "ist" : "utc";
  const elsewhere: RunOptions = {
    ...run.options,
    assumptions: { ...assumptions, "date.timezone": other },
  };
  const actions = run.steps.map(({ action }) => action);
  const reader = finalReaderOf(of.exact ?? of);
  const otherReader = settledReaderOf(replay(elsewhere, actions).sim);
  const events = recordedIn(run);
  for (const { id } of run.publishers) {
    const [here, there] = [sinceStart(run, reader, id), sinceStart(run, otherReader, id)];
    require("S8", here === there, `${id} has ${here} by one calendar, ${there} by the other`);
    const own = events.filter(({ publisherId }) => publisherId === id);
    const days = new Set(own.map(({ atMs }) => dayOfInstant(atMs, assumptions["date.timezone"])));
    for (const day of [...days].slice(-4)) {
      const begin =
        Date.parse(`${day}T00:00:00Z`) - midnightOffsetsMs[assumptions["date.timezone"]];
      const onDay = own.filter(({ atMs }) => atMs >= begin && atMs < begin + DAY_MS);
      const micros = onDay.reduce((sum, one) => sum + one.micros, 0);
      const { text, ...shown } = reader.stats(id, { from: day, to: day });
      const what = `${onDay.length} events of ${id} on ${day} came to ${micros} micros, but: ${text}`;
      const counted = shown.impressions + shown.clicks === onDay.length;
      require("S8", counted && shown.micros === micros, what);
    }
  }
}

/** All that was recorded: history ends on the day before the first, by each calendar. */
function sinceStart({ options }: Run, reader: Reader, id: string): string {
  const startMs = Date.parse(options.start ?? "");
  const from = dayOfInstant(startMs, reader.sim.assumptions["date.timezone"]);
  const { impressions, clicks, micros } = reader.stats(id, { from, to: reader.today });
  return `${impressions} impressions, ${clicks} clicks, ${micros} micros`;
}

/** Up to six days that something happened on, none after today. */
function interestingDays(run: Run, joined: string): string[] {
  const today = todayOf(run.sim);
  const days = new Set([joined, today, addDays(today, -31)]);
  for (const { action, atMs } of run.steps) {
    const day = dayOfInstant(atMs, run.options.assumptions["date.timezone"]);
    if (action.kind === "request" && day <= today) days.add(day);
  }
  return [...days]
    .filter((date) => date >= joined)
    .sort()
    .slice(-6);
}
