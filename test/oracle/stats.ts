/** Expected statistics of a period, both days included (spec §2, §4). */

import { addDays } from "./calendar.ts";
import { expectEqual } from "./check.ts";
import {
  type Answer,
  checkAmount,
  type Expectation,
  type OracleContext,
  refused,
  success,
} from "./expectation.ts";
import { type Account, type Figures, recorded } from "./facts.ts";
import type { Values } from "./inputs.ts";
import { checkMembers } from "./members.ts";

const nothing: Figures = { impressions: 0, clicks: 0, micros: 0 };

const rowMembers: readonly string[] = ["id", "impressions", "revenue"];

export function expectStats(
  context: OracleContext,
  account: Account,
  values: Values,
  today: string,
): Expectation {
  const { choices, sometimes } = context;
  const asked = { from: values.from ?? addDays(today, -30), to: values.to ?? today };
  const isInverted = asked.from > asked.to;
  if (isInverted) sometimes("an inverted period");
  if (isInverted && choices["date.inverted-range"] === "reject")
    return refused("invalid_parameter");
  if (asked.to > today) sometimes("a period that reaches past today");
  const only = values.surface;
  const isUnknown = only !== undefined && !account.surfaces.some((one) => one.id === only);
  if (isUnknown) {
    sometimes("stats of an unknown surface");
    return refused("surface_not_found");
  }
  if (isInverted) sometimes("an inverted period that is empty");
  const figuresOf = (surface: string): Figures =>
    isInverted || (only !== undefined && surface !== only)
      ? nothing
      : figures(context, account, asked, today, surface);
  return success((answer) => checkStats(context, account, values, asked, figuresOf, answer));
}

/** One surface's figures in a period: the seeded history, and what was recorded since. */
function figures(
  { facts, history, choices, sometimes }: OracleContext,
  { id }: Account,
  { from, to }: { readonly from: string; readonly to: string },
  today: string,
  surface: string,
): Figures {
  const lags = choices["stats.today"] === "next-day";
  const counts = (day: string): boolean => day >= from && day <= to && !(lags && day === today);
  const since = recorded(facts, id, counts, surface);
  const before = history(id, { from, to, surface });
  if (lags && from <= today && to >= today) {
    const all = recorded(facts, id, (day) => day >= from && day <= to, surface);
    if (all.micros > since.micros) sometimes("today's traffic that is hidden");
  }
  if (lags && since.impressions > 0) sometimes("traffic that shows a day later");
  return {
    impressions: before.impressions + since.impressions,
    clicks: before.clicks + since.clicks,
    micros: before.micros + since.micros,
  };
}

function checkStats(
  context: OracleContext,
  account: Account,
  values: Values,
  period: { readonly from: string; readonly to: string },
  figuresOf: (surface: string) => Figures,
  { body }: Answer,
): void {
  const { choices, sometimes } = context;
  checkMembers(body.period, ["from", "to"], choices);
  expectEqual("publisher_id", body.publisher_id, account.id);
  expectEqual("period", [body.period.from, body.period.to], [period.from, period.to]);
  const all = account.surfaces.map(({ id }) => ({ id, ...figuresOf(id) }));
  const sum = (figure: keyof Figures): number => all.reduce((total, one) => total + one[figure], 0);
  expectEqual("impressions", body.impressions, sum("impressions"));
  expectEqual("clicks", body.clicks, sum("clicks"));
  checkAmount("revenue_inr", body.revenue_inr, sum("micros"), context);

  const isAsked = (id: string): boolean => values.surface === undefined || values.surface === id;
  const always = choices["stats.surfaces"] === "all";
  const rows = all
    .filter(({ id }) => isAsked(id))
    .filter(({ impressions, clicks }) => always || impressions + clicks > 0);
  if (rows.some(({ impressions, clicks }) => clicks > 0 && impressions === 0))
    sometimes("a row with a late click alone");
  if (rows.length < all.length && values.surface === undefined)
    sometimes("a surface without a row");
  expectEqual(
    "ids of the rows",
    body.surfaces.map((row: { id: string }) => row.id),
    rows.map(({ id }) => id),
  );
  for (const [index, { id, impressions, micros }] of rows.entries()) {
    const row = body.surfaces[index];
    checkMembers(row, rowMembers, choices);
    expectEqual(`impressions of ${id}`, row.impressions, impressions);
    checkAmount(`revenue of ${id}`, row.revenue, micros, context);
  }
  if (period.from.slice(0, 4) < period.to.slice(0, 4)) sometimes("a period across a year's end");
}
