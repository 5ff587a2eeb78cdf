/** Checks a publisher's statistics. The request goes to a copy of the world, so it costs no quota and leaves no trace. */

import * as v from "valibot";
import { formatDay, parseDay } from "../base/calendar.ts";
import { InputError, parseInput } from "../base/input.ts";
import { wholeFrom } from "../base/schemas.ts";
import type { PublisherStats } from "../client/api.ts";
import { dayReader } from "../exchange/operations/time-choices.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { buildRequest } from "../spec/build-request.ts";
import { type Check, check, checkNames, MAX_ROWS, quoted, readSim, table } from "./check.ts";
import { amountSchema } from "./credited.ts";

export interface SurfaceFigures {
  readonly impressions?: number | undefined;
  readonly revenueInr?: number | undefined;
}

/** The expected statistics. Only the given figures are compared. */
export interface StatsMatch {
  /** The publisher's id. */
  readonly publisher: string;
  /** Days, `YYYY-MM-DD`, both inclusive. @default from the world's first day, after its seeded history, to today */
  readonly period?:
    | { readonly from?: string | undefined; readonly to?: string | undefined }
    | undefined;
  /** Only of this surface. @default all */
  readonly surface?: string | undefined;
  readonly impressions?: number | undefined;
  readonly clicks?: number | undefined;
  readonly revenueInr?: number | undefined;
  /** By surface id. A surface that isn't listed has zeros. */
  readonly surfaces?: Readonly<Record<string, SurfaceFigures>> | undefined;
}

const dayExpected = "must be a day, YYYY-MM-DD";
const dayText = v.optional(
  v.pipe(
    v.string(dayExpected),
    v.check((text) => parseDay(text) !== undefined, dayExpected),
  ),
);
const inr = v.optional(amountSchema);
const count = v.optional(wholeFrom(0));
const schema = v.strictObject({
  publisher: v.string("must be the id of a publisher"),
  period: v.optional(v.strictObject({ from: dayText, to: dayText })),
  surface: v.optional(v.string("must be the id of a surface")),
  impressions: count,
  clicks: count,
  revenueInr: inr,
  surfaces: v.optional(
    v.record(v.string(), v.strictObject({ impressions: count, revenueInr: inr })),
  ),
});

/** @throws InputError, also if the service refuses the request. */
export function stats(given: unknown, match: StatsMatch): Check {
  const sim = readSim(given);
  const wanted = parseInput(schema, match, "stats");
  checkNames(sim, wanted);
  const figures = figuresOf(wanted);
  if (figures.length === 0) {
    throw new InputError(
      "stats",
      "must name a figure to compare: impressions, clicks, revenueInr or surfaces",
    );
  }
  const answer = askInFork(sim, wanted);
  const actualFigures = new Map(figuresIn(answer));
  const rows = figures.map(([name, value]) => ({
    name,
    value,
    actual: actualFigures.get(name) ?? 0,
  }));
  const { from, to } = answer.period;
  const what = `the statistics of ${quoted(wanted.publisher)} from ${from} to ${to}${wanted.surface === undefined ? "" : `, surface ${quoted(wanted.surface)}`}`;
  const listing = (): string[] => [
    ...table([
      ["", "expected", "actual", ""],
      ...rows.map(({ name, value, actual }) => [
        name,
        String(value),
        String(actual),
        value === actual ? "" : "differs",
      ]),
    ]),
    ...surfaceLines(answer),
  ];
  return check({
    pass: rows.every(({ value, actual }) => value === actual),
    expected: Object.fromEntries(rows.map(({ name, value }) => [name, value])),
    actual: Object.fromEntries(rows.map(({ name, actual }) => [name, actual])),
    describeFailure: () => [
      `Expected other figures in ${what}.`,
      ...listing(),
      ...notesOn(sim, wanted).map((note) => `Note: ${note}`),
    ],
    describeSuccess: () => [`Expected other figures in ${what} than these.`, ...listing()],
  });
}

type Figure = readonly [name: string, value: number];

/** The given figures, in the order in which they are shown. */
function figuresOf({
  impressions,
  clicks,
  revenueInr,
  surfaces = {},
}: Omit<StatsMatch, "publisher">): Figure[] {
  const named: [name: string, value: number | undefined][] = [
    ["impressions", impressions],
    ["clicks", clicks],
    ["revenueInr", revenueInr],
  ];
  for (const [id, figures] of Object.entries(surfaces)) {
    named.push(
      [`${id} impressions`, figures.impressions],
      [`${id} revenueInr`, figures.revenueInr],
    );
  }
  return named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function figuresIn({ impressions, clicks, revenue_inr, surfaces }: PublisherStats): Figure[] {
  const bySurface = surfaces.map(({ id, impressions, revenue }) => [
    id,
    { impressions, revenueInr: revenue },
  ]);
  const all = { impressions, clicks, revenueInr: revenue_inr };
  return figuresOf({ ...all, surfaces: Object.fromEntries(bySurface) });
}

/** Asks a copy of the world, with a new key, which has its own quota, and without fault rules. */
function askInFork(
  sim: SimulatorCore,
  { publisher, period = {}, surface }: Pick<StatsMatch, "publisher" | "period" | "surface">,
): PublisherStats {
  const scratch = sim.fork();
  scratch.faults.clear();
  const { apiKey } = scratch.publishers.rotateKey(publisher);
  const parameters = {
    publisher_id: publisher,
    from: period.from ?? firstDayOf(scratch),
    ...(period.to === undefined ? {} : { to: period.to }),
    ...(surface === undefined ? {} : { surface }),
  };
  const response = scratch.handle(buildRequest("stats", parameters, { key: apiKey }));
  if (response.status === 200) return JSON.parse(response.body);
  const reason = scratch.journal.entries({ limit: 1 })[0]?.reason ?? "no reason is known";
  throw new InputError(
    "stats.period",
    `was refused by the service: status ${response.status}, ${reason}`,
  );
}

/** `scratch`: a copy without fault rules, because functions can't be in a snapshot. */
function firstDayOf(scratch: SimulatorCore): string {
  return formatDay(dayReader(scratch.assumptions)(scratch.snapshot().start));
}

function surfaceLines({ surfaces }: PublisherStats): string[] {
  if (surfaces.length === 0) return [];
  const rows = surfaces
    .slice(0, MAX_ROWS)
    .map(({ id, impressions, revenue }) => [id, String(impressions), `${revenue} INR`]);
  return ["By surface:", ...table([["surface", "impressions", "revenue"], ...rows])];
}

/** Explains figures that may surprise. */
function notesOn({ assumptions }: SimulatorCore, { period }: Pick<StatsMatch, "period">): string[] {
  const notes: string[] = [];
  if (assumptions["stats.today"] === "next-day") {
    notes.push("today's events appear tomorrow (stats.today=next-day).");
  }
  if (assumptions["money.precision"] === "paise") {
    notes.push("amounts are in whole paise (money.precision=paise).");
  }
  if (period?.from !== undefined) {
    notes.push(
      "days before the world's first day have seeded history; leave out period.from to exclude it.",
    );
  }
  return notes;
}
