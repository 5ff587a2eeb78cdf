/**
 * The seeded publishers. Each is computed when it is needed, so a world with a million publishers starts as fast as a world
 * with one.
 */

import { type Day, day } from "../../base/calendar.ts";
import { deriveKey, drawBetween, type Key, subKey } from "../../base/random.ts";
import { type SurfaceStatus, surfaceStatuses } from "../../spec/responses.ts";
import type { Ids } from "./ids.ts";
import type { Person, PersonGenerator } from "./people.ts";
import { profiles } from "./profiles.ts";
import {
  createSeededHistory,
  type SeededHistory,
  type SeededPublisher,
  type SignUp,
  type SurfaceTerms,
} from "./seeded-publisher.ts";
import type { WorldSettings } from "./world-settings.ts";

/** Ordinals of sign-ups start here, so their ids don't depend on the size of the population. */
export const FIRST_SIGN_UP_ORDINAL = 1_000_000;
/** The largest population. Higher ordinals belong to sign-ups. */
export const MAX_POPULATION = 1_000_000;

export interface Population {
  readonly size: number;
  /** The world's first day. Seeded history ends before it. */
  readonly startDay: Day;
  /** The publisher as the seed decides, or as it signed up. */
  publisherAt(ordinal: number, signUp?: SignUp): SeededPublisher;
  person(ordinal: number): Person;
  /** Daily totals of the days before the world's start; undefined for a publisher that signed up. */
  seededHistory(publisher: { readonly ordinal: number }): SeededHistory | undefined;
  /** The key of the random stream that prices a publisher's impressions. */
  priceKey(ordinal: number): Key;
}

export interface PopulationOptions {
  readonly settings: WorldSettings;
  readonly startDay: Population["startDay"];
  readonly ids: Ids;
  /** Called only when a person is needed. */
  readonly people: () => PersonGenerator;
}

/** How many publishers' histories are cached, about 20 kB each. */
const MAX_HISTORIES = 1024;

const [active] = surfaceStatuses;

/** The first surface is active, the last of several is not, so that every publisher with several has both. */
function extendedStatus(numbers: Key, index: number, count: number): SurfaceStatus {
  if (index === 0) return active;
  const lowest = index === count - 1 ? 1 : 0;
  const drawn = drawBetween(numbers, 400 + index, lowest, surfaceStatuses.length - 1);
  return surfaceStatuses[drawn] ?? active;
}

/**
 * The price of a click, in micro-INR. While at most 2 % of impressions are clicked, clicks earn less than a third of the
 * revenue, and the revenue of 1,000 impressions stays within the cpm range: their 20 clicks earn a fifth to two fifths of
 * its width, and at most two fifths of its middle. If the range is narrower than a tenth of its lower bound, a click earns
 * as much as two impressions, and revenue may be up to 4 % above the range.
 */
function clickPrice(numbers: Key, index: number, [lower, upper]: SurfaceTerms["cpmPaise"]): number {
  const byWidth = (upper - lower) * drawBetween(numbers, 300 + index, 100, 200);
  return Math.max(1, 20 * lower, Math.min(byWidth, 100 * (lower + upper)));
}

export function createPopulation(options: PopulationOptions): Population {
  const { settings, startDay, ids } = options;
  const { seed, publishers: size, profile, assumptions } = settings;
  const bounds = profiles[profile];
  const hasAllStatuses = assumptions["surface.statuses"] === "extended";
  const numbersKey = deriveKey(seed, "numbers", profile);
  const trafficKey = deriveKey(seed, "traffic", profile);
  const pricesKey = deriveKey(seed, "price");
  const histories = new Map<number, SeededHistory>();

  function publisherAt(ordinal: number, { joined, surfaces } = seeded(ordinal)): SeededPublisher {
    const numbers = subKey(numbersKey, ordinal);
    const priced = surfaces.map((terms, index) => ({
      id: ids.surface.encode(ordinal, index),
      ...terms,
      cpcMicros: clickPrice(numbers, index, terms.cpmPaise),
    }));
    return { ordinal, joined, surfaces: priced };
  }

  function seeded(ordinal: number): Omit<SignUp, "name"> {
    const numbers = subKey(numbersKey, ordinal);
    const names = bounds.surfaceNames;
    const firstName = drawBetween(numbers, 2, 0, names.length - 1);
    const count = drawBetween(numbers, 0, ...bounds.surfaces);
    const surfaces = Array.from({ length: count }, (_, index) => {
      const lower = drawBetween(numbers, 100 + index, ...bounds.cpmPaise);
      const spreadPercent = drawBetween(numbers, 200 + index, ...bounds.cpmSpreadPercent);
      return {
        name: names[(firstName + index * 5) % names.length] ?? "",
        status: hasAllStatuses ? extendedStatus(numbers, index, count) : active,
        cpmPaise: [lower, lower + Math.floor((lower * spreadPercent) / 100)] as const,
      };
    });
    return { joined: day(startDay - drawBetween(numbers, 1, ...bounds.historyDays)), surfaces };
  }

  function seededHistory(publisher: { readonly ordinal: number }): SeededHistory | undefined {
    if (publisher.ordinal >= size) return undefined;
    const known = histories.get(publisher.ordinal);
    if (known !== undefined) return known;
    const made = createSeededHistory({
      key: subKey(trafficKey, publisher.ordinal),
      publisher: publisherAt(publisher.ordinal),
      startDay,
      dailyImpressions: bounds.dailyImpressions,
    });
    if (histories.size === MAX_HISTORIES) histories.clear();
    histories.set(publisher.ordinal, made);
    return made;
  }

  return {
    size,
    startDay,
    publisherAt,
    person: (ordinal) => options.people()(seed, profile, ordinal),
    seededHistory,
    priceKey: (ordinal) => subKey(pricesKey, ordinal),
  };
}
