/** Looks at the publishers of a simulator without being limited, under whatever assumptions are in force there. */

import type { ApiResponse, Simulator } from "../../src/index.ts";
import { addDays, dayOfInstant, midnightOffsetsMs } from "../../src/testing/oracle/calendar.ts";
import type { Run } from "./run.ts";

/** Asks a fork, with a new key where one is used up. */
export interface Reader {
  readonly sim: Simulator;
  /** The day of its clock. */
  readonly today: string;
  stats(publisherId: string, query?: Readonly<Record<string, string>>): StatsAnswer;
  /** Stats of all the days that a publisher has had. */
  lifetime(publisher: { readonly id: string; readonly joined: string }): StatsAnswer;
  payouts(publisherId: string): PayoutsAnswer;
  get(publisherId: string, path: string, query?: Readonly<Record<string, string>>): ApiResponse;
}

export interface StatsAnswer {
  readonly text: string;
  readonly period: { readonly from: string; readonly to: string };
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
  readonly surfaces: readonly {
    readonly id: string;
    readonly impressions: number;
    readonly micros: number;
  }[];
}

export interface PayoutAnswer {
  readonly id: string;
  readonly date: string;
  readonly micros: number;
  readonly status: string;
  readonly reference: unknown;
}

export interface PayoutsAnswer {
  readonly text: string;
  /** Oldest first. */
  readonly payouts: readonly PayoutAnswer[];
  readonly pendingMicros: number;
}

/** The most that one request lists: where there are so many, there may be more. */
export const MOST_LISTED = 100;

export function readerOf(origin: Simulator): Reader {
  const sim = origin.fork();
  const keys = new Map<string, { apiKey: string; asked: number }>();

  function keyOf(publisherId: string): string {
    const known = keys.get(publisherId);
    if (known !== undefined && known.asked < 60) {
      known.asked += 1;
      return known.apiKey;
    }
    const { apiKey } = sim.publishers.rotateKey(publisherId);
    keys.set(publisherId, { apiKey, asked: 1 });
    return apiKey;
  }
  function get(
    publisherId: string,
    path: string,
    query: Readonly<Record<string, string>> = {},
  ): ApiResponse {
    return sim.handle({
      method: "GET",
      path,
      query: { publisher_id: publisherId, ...query },
      headers: { authorization: `Bearer ${keyOf(publisherId)}` },
    });
  }
  function read(
    publisherId: string,
    path: string,
    query: Readonly<Record<string, string>> | undefined,
  ): string {
    const response = get(publisherId, path, query);
    if (response.status === 200) return response.body;
    throw new Error(`${path} ${JSON.stringify(query)} got ${response.status}: ${response.body}`);
  }
  const stats: Reader["stats"] = (publisherId, query) =>
    statsOf(read(publisherId, "/v1/publisher/stats", query));

  return {
    sim,
    get today(): string {
      return todayOf(sim);
    },
    get,
    stats,
    lifetime: ({ id, joined }) => stats(id, { from: joined, to: todayOf(sim) }),
    payouts: (publisherId) =>
      payoutsOf(read(publisherId, "/v1/publisher/payouts", { limit: String(MOST_LISTED) })),
  };
}

const finals = new WeakMap<Run, Reader>();

/** The reader of a finished run that all laws share: reading changes nothing that another reads. */
export function finalReaderOf(run: Run): Reader {
  const reader = finals.get(run) ?? settledReaderOf(run.sim);
  finals.set(run, reader);
  return reader;
}

/** A reader to whom all that was recorded is visible: where stats lag behind by a day, it looks from the next one. */
export function settledReaderOf(origin: Simulator): Reader {
  if (origin.assumptions["stats.today"] === "live") return readerOf(origin);
  const sim = origin.fork();
  const ahead = midnightOffsetsMs[sim.assumptions["date.timezone"]];
  const midnight = Date.parse(`${addDays(todayOf(sim), 1)}T00:00:00Z`) - ahead;
  sim.clock.advance(midnight - sim.clock.now());
  return readerOf(sim);
}

/** The day of a simulator's clock. */
export function todayOf(sim: Simulator): string {
  return dayOfInstant(sim.clock.now(), sim.assumptions["date.timezone"]);
}

function statsOf(text: string): StatsAnswer {
  const body = JSON.parse(text);
  return {
    text,
    period: body.period,
    impressions: body.impressions,
    clicks: body.clicks,
    micros: microsOf(body.revenue_inr),
    surfaces: body.surfaces.map((row: { id: string; impressions: number; revenue: number }) => ({
      id: row.id,
      impressions: row.impressions,
      micros: microsOf(row.revenue),
    })),
  };
}

interface ListedPayout {
  readonly id: string;
  readonly date: string;
  readonly amount_inr: number;
  readonly status: string;
  readonly txn_id?: unknown;
}

function payoutsOf(text: string): PayoutsAnswer {
  const body = JSON.parse(text);
  const payouts: PayoutAnswer[] = body.payouts.map((payout: ListedPayout) => ({
    id: payout.id,
    date: payout.date,
    micros: microsOf(payout.amount_inr),
    status: payout.status,
    reference: payout.txn_id,
  }));
  return {
    text,
    payouts: payouts.toSorted((left, right) => (left.date < right.date ? -1 : 1)),
    pendingMicros: microsOf(body.pending_inr),
  };
}

/** An amount in INR as whole micros. Throws where a double can't hold it exactly. */
export function microsOf(inr: number): number {
  const micros = Math.round(inr * 1e6);
  if (Number.isSafeInteger(micros)) return micros;
  throw new Error(`${inr} INR is not an amount that can be compared to the micro.`);
}
