/** Reads answers: of a run, and of a copy of its world. */

import * as v from "valibot";
import { nearestMicros } from "../base/money.ts";
import { jsonIn, jsonObjectIn } from "../base/parse-json.ts";
import { lenientText } from "../base/text.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { EventKind } from "../spec/operations.ts";
import type { TracedExchange } from "./client-exchange.ts";
import { inconclusive } from "./ensure.ts";

/** The parameters of a request. An empty one counts as not sent. */
export function valuesOf({ request }: TracedExchange): ReadonlyMap<string, string> {
  const text = request.method === "POST" ? lenientText(request.body) : "";
  const members = jsonObjectIn(text);
  const inBody = members === undefined ? new URLSearchParams(text) : Object.entries(members);
  const sent = [...new URLSearchParams(request.query), ...inBody];
  const given = sent.filter(([, value]) => value !== null && value !== "");
  return new Map(given.map(([name, value]) => [name, String(value)]));
}

/** The event that a success names, and its credit; undefined for any other answer. */
export function creditOf(
  { status, text }: { readonly status: number; readonly text: string },
  kind: EventKind,
): { readonly id: string; readonly micros: number } | undefined {
  const body = status === 200 ? jsonObjectIn(text) : undefined;
  const id = body?.[`${kind}_id`];
  const inr = body?.revenue_credited_inr;
  if (typeof id !== "string" || typeof inr !== "number") return undefined;
  return { id, micros: nearestMicros(inr) };
}

const amount = v.pipe(v.number(), v.transform(nearestMicros));

/** Amounts are in micros. */
export const statsBody = v.pipe(
  v.object({
    period: v.object({ from: v.string(), to: v.string() }),
    impressions: v.number(),
    clicks: v.number(),
    revenue_inr: amount,
    surfaces: v.array(v.object({ id: v.string(), impressions: v.number(), revenue: amount })),
  }),
  v.transform(({ period, impressions, clicks, revenue_inr: micros, surfaces }) => {
    const rows = surfaces.map(({ id, revenue, ...row }) => ({ id, micros: revenue, ...row }));
    return { ...period, impressions, clicks, micros, rows };
  }),
);

export type Stats = v.InferOutput<typeof statsBody>;

export const payoutsBody = v.object({
  payouts: v.array(v.object({ amount_inr: amount })),
  pending_inr: amount,
});

/** What a body says. Inconclusive if it can't be read so. */
export function read<Body extends v.GenericSchema>(body: Body, text: string): v.InferOutput<Body> {
  const { success, output } = v.safeParse(body, jsonIn(text));
  return success ? output : inconclusive("an answer can't be read");
}

/** A day in India begins at 18:30 UTC of the day before. To be independent of its bugs, it doesn't use adsim's calendar. */
export function dayAt(instantMs: number, { "date.timezone": timezone }: Assumptions): string {
  const offsetMs = timezone === "ist" ? 19_800_000 : 0;
  return new Date(instantMs + offsetMs).toISOString().slice(0, 10);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
