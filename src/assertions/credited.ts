/** Checks how much was credited, to the micro-INR. */

import * as v from "valibot";
import type { Audit } from "../audit/audit.ts";
import { counted } from "../base/counted.ts";
import { InputError, parseInput } from "../base/input.ts";
import { formatInr, microsToInr, nearestMicros } from "../base/money.ts";
import type { Schema } from "../base/schema-builders.ts";
import { instantText } from "../base/schemas.ts";
import { eventKinds } from "../spec/operations.ts";
import { type Check, check, checkNames, quoted, readSim } from "./check.ts";
import { afterSchema, timeOf, timeText } from "./event-filter.ts";
import { eventTable } from "./event-table.ts";
import { type EventRequest, eventsOf, journalGapOf, type Since } from "./events.ts";

/** Which credits to sum. Every given condition must hold. */
export interface CreditedWhere extends Since {
  /** The publisher's id. @default all publishers together */
  readonly publisher?: string | undefined;
  /** The surface's id. @default all */
  readonly surface?: string | undefined;
  /** @default both */
  readonly events?: "impressions" | "clicks" | undefined;
}

const AMOUNT_EXPECTED = "must be an amount in INR, 0 or more";
export const amountSchema: Schema<number> = v.pipe(
  v.number(AMOUNT_EXPECTED),
  v.finite(AMOUNT_EXPECTED),
  v.minValue(0, AMOUNT_EXPECTED),
);
const schema = v.strictObject({
  amountInr: v.pipe(
    amountSchema,
    v.check(
      (inr) => microsToInr(nearestMicros(inr)) === Number(inr.toFixed(6)),
      "must be an amount that is exact in micro-INR",
    ),
  ),
});
const whereSchema = v.strictObject({
  publisher: v.optional(v.string("must be the id of a publisher")),
  surface: v.optional(v.string("must be the id of a surface")),
  events: v.optional(
    v.picklist(["impressions", "clicks"], "must be impressions or clicks, or left out for both"),
  ),
  since: v.optional(instantText),
  after: afterSchema,
});

const ROUNDED =
  "Credits of a surface or a time come from the answers, which are rounded to paise: this is the sum of rounded credits.";

/**
 * The sum of the credits of all events on record, to the micro. Under `money.precision=paise` the credits of a surface or of a
 * time are those in the answers, which are rounded.
 *
 * @throws InputError
 */
export function credited(given: unknown, amount: number, where: CreditedWhere = {}): Check {
  const sim = readSim(given);
  const { amountInr } = parseInput(schema, { amountInr: amount });
  const { publisher, surface, events, ...time } = parseInput(whereSchema, where, "where");
  checkNames(sim, { publisher, surface, after: time.after });
  const range = timeOf(time);
  const all = eventsOf(sim);
  const own = all.filter(
    (event) =>
      event.recorded !== undefined &&
      range.isInTime(event) &&
      (publisher === undefined || event.publisher === publisher) &&
      (surface === undefined || event.surface === surface) &&
      (events === undefined || `${event.kind}s` === events),
  );
  const needsJournal =
    surface !== undefined || range.after !== undefined || range.sinceMs !== undefined;
  // The books have exact sums by publisher. Anything finer is known only from the answers in the journal.
  if (needsJournal) {
    const gap = journalGapOf(sim, all, range);
    if (gap !== undefined) throw new InputError("journal", gap.text, "conflict");
  }
  const actualMicros = needsJournal ? sumOf(own) : recordedMicrosIn(sim.audit(), publisher, events);
  const wantedMicros = nearestMicros(amountInr);
  const whose = [
    ...(events === undefined ? [] : [` for ${events}`]),
    ...(publisher === undefined ? [] : [` to publisher ${quoted(publisher)}`]),
    ...(surface === undefined ? [] : [` on surface ${quoted(surface)}`]),
    timeText(range),
  ].join("");
  const precision = sim.assumptions["money.precision"];
  const remarks = [
    ...(sumOf(own) === actualMicros ? [] : [differenceText(precision)]),
    ...(needsJournal && precision === "paise" ? [ROUNDED] : []),
  ];
  const rows = [
    `${counted(own.length, "event")} on record${own.length === 0 ? "." : ":"}`,
    ...eventKinds.flatMap((kind) => {
      const ofKind = own.filter((event) => event.kind === kind);
      return ofKind.length === 0 ? [] : eventTable(kind, ofKind);
    }),
    ...remarks,
  ];
  return check({
    pass: actualMicros === wantedMicros,
    expected: microsToInr(wantedMicros),
    actual: microsToInr(actualMicros),
    describeFailure: () => [
      `Expected ${formatInr(wantedMicros)} INR credited${whose}: it is ${formatInr(actualMicros)} INR, ${differenceAmount(actualMicros - wantedMicros)}.`,
      ...rows,
    ],
    describeSuccess: () => [
      `Expected anything but ${formatInr(wantedMicros)} INR credited${whose}: it is exactly that.`,
      ...rows,
    ],
  });
}

function recordedMicrosIn(
  { total, publishers }: Pick<Audit, "total" | "publishers">,
  publisher: string | undefined,
  events: CreditedWhere["events"],
): number {
  const line =
    publisher === undefined ? total : publishers.find((one) => one.publisher === publisher);
  const figures = events === undefined ? line : line?.[events];
  return nearestMicros(figures?.creditedRecordedInr ?? 0);
}

function sumOf(events: readonly EventRequest[]): number {
  return events.reduce((sum, { recorded }) => sum + (recorded?.micros ?? 0), 0);
}

function differenceAmount(micros: number): string {
  return `${formatInr(Math.abs(micros))} INR ${micros > 0 ? "more" : "less"}`;
}

function differenceText(precision: string): string {
  return precision === "paise"
    ? "Answers show whole paise (money.precision=paise); the amount compared is exact."
    : "The journal doesn't match the books: it no longer holds some requests, or a snapshot was restored.";
}
