/** The facts that the oracle knows: plain lists, which are saved by copying. */

import type { Publisher } from "../../src/world/accounts/account.ts";

export interface SurfaceFact {
  readonly id: string;
  readonly name: string;
  status: string;
  cpm: readonly [lower: number, upper: number];
}

export interface Account {
  /** Seeded publishers count from 0, sign-ups from a million. */
  readonly ordinal: number;
  readonly id: string;
  readonly joined: string;
  readonly upiId: string;
  readonly surfaces: SurfaceFact[];
  apiKey: string;
  /** How often the key was rotated: each key has its own quota. */
  keys: number;
}

export interface Impression {
  readonly id: string;
  readonly publisherId: string;
  readonly surface: string;
  readonly adId: string;
  readonly sessionId: string | undefined;
  readonly atMs: number;
  readonly day: string;
  readonly micros: number;
  /** The answer's body: under `replay` a repeat gets the same one. */
  readonly body: string;
}

export interface Click {
  readonly id: string;
  readonly impressionId: string;
  readonly publisherId: string;
  readonly surface: string;
  readonly atMs: number;
  readonly day: string;
  readonly micros: number;
  readonly body: string;
}

export interface Facts {
  accounts: Account[];
  impressions: Impression[];
  clicks: Click[];
  /** The instants at which requests were admitted, by pool. */
  admitted: Record<string, number[]>;
  /** The price of a click by surface, learned from the first one. */
  clickPrices: Record<string, number>;
  /** Ids and transaction ids of payouts, by publisher and date. */
  payoutIds: Record<string, string>;
  references: Record<string, string>;
}

export function factsAbout(publishers: readonly Publisher[]): Facts {
  return {
    accounts: publishers.map(accountOf),
    impressions: [],
    clicks: [],
    admitted: {},
    clickPrices: {},
    payoutIds: {},
    references: {},
  };
}

export function accountOf(publisher: Publisher): Account {
  const { ordinal, id, joined, upiId, apiKey } = publisher;
  const surfaces = publisher.surfaces.map((one) => ({
    id: one.id,
    name: one.name,
    status: one.status,
    cpm: one.cpmRange,
  }));
  return { ordinal, id, joined, upiId, surfaces, apiKey, keys: 0 };
}

export interface Figures {
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
}

/** The figures recorded for a publisher, or for one of its surfaces, on the days that count. */
export function recorded(
  { impressions, clicks }: Facts,
  publisherId: string,
  counts: (day: string) => boolean,
  surface?: string,
): Figures {
  const concerns = (one: Impression | Click): boolean =>
    one.publisherId === publisherId &&
    (surface === undefined || one.surface === surface) &&
    counts(one.day);
  const shown = impressions.filter(concerns);
  const clicked = clicks.filter(concerns);
  const micros = [...shown, ...clicked].reduce((sum, one) => sum + one.micros, 0);
  return { impressions: shown.length, clicks: clicked.length, micros };
}
