/** Checks that need only the stats that a run has read: each answer must agree with itself and with its request. */

import { ensure, inconclusive } from "./ensure.ts";
import { type Stats, statsOf } from "./figures.ts";
import type { Log } from "./log.ts";
import { addDays, ownAnswersTo } from "./read-trace.ts";
import type { TracedExchange } from "./trace.ts";

interface Answer {
  readonly sent: URLSearchParams;
  readonly stats: Stats;
}

/** The successful answers whose requests `applies` to. Inconclusive if there are none. */
function answersIn(log: Log, applies: (sent: URLSearchParams) => boolean): readonly Answer[] {
  const found = ownAnswersTo("stats", log)
    .filter(({ status, text }) => status === 200 && text.startsWith("{"))
    .map((exchange) => ({ exchange, sent: sentIn(exchange) }))
    .filter(({ sent }) => applies(sent));
  if (found.length === 0) inconclusive("no such stats were read");
  return found.map(({ exchange, sent }) => ({ sent, stats: statsOf(exchange.text) }));
}

/** An empty parameter counts as not sent. */
function sentIn({ query }: TracedExchange): URLSearchParams {
  const all = new URLSearchParams(query);
  return new URLSearchParams([...all].filter(([, value]) => value !== ""));
}

/** Amounts may be rounded to the paisa, up or down. */
const MAX_ROUNDED_MICROS = 10_000;

export function sumsInRun(log: Log): string {
  const found = answersIn(log, () => true);
  for (const { stats } of found) {
    const rows = [...stats.rows.values()];
    const impressions = rows.reduce((sum, row) => sum + row.impressions, 0);
    const micros = rows.reduce((sum, row) => sum + row.micros, 0);
    ensure(
      impressions === stats.impressions,
      () => `the surfaces have ${impressions} impressions, the total is ${stats.impressions}`,
    );
    ensure(
      Math.abs(micros - stats.micros) <= MAX_ROUNDED_MICROS * (rows.length + 1),
      () => `the surfaces have earned ${micros} micros, the total is ${stats.micros}`,
    );
  }
  return `${found.length} answers`;
}

export function filtersInRun(log: Log): string {
  const found = answersIn(log, (sent) => sent.has("surface"));
  for (const { sent, stats } of found) {
    const surface = sent.get("surface") ?? "";
    const row = stats.rows.get(surface) ?? { impressions: 0, micros: 0 };
    ensure(
      row.impressions === stats.impressions,
      () =>
        `with surface=${surface} the total is ${stats.impressions} impressions, but this surface has ${row.impressions}`,
    );
    ensure(
      Math.abs(row.micros - stats.micros) <= 2 * MAX_ROUNDED_MICROS,
      () =>
        `with surface=${surface} the total is ${stats.micros} micros, but this surface has earned ${row.micros}`,
    );
  }
  return `${found.length} answers`;
}

/** Checks only the length of the default period, because the date of a foreign service is unknown. */
export function defaultLength(log: Log): string {
  const found = answersIn(log, (sent) => !sent.has("from") && !sent.has("to"));
  for (const { stats } of found) {
    const { from, to } = stats;
    ensure(
      addDays(from, 30) === to,
      () => `the default period is ${from} to ${to}, which doesn't begin 30 days before its end`,
    );
  }
  return `${found.length} answers`;
}
