/**
 * The seeded publishers. A function, not a list: publisher `ordinal` is worked out when it is asked for, so a world of
 * a million costs no more to start than a world of one.
 */

import { type Day, day } from "../../base/calendar.ts";
import { deriveKey, drawBetween, type Key, subKey } from "../../base/random.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import { type SurfaceStatus, surfaceStatuses } from "../../spec/responses.ts";
import type { Ids } from "./ids.ts";
import type { Person, PersonGenerator } from "./people.ts";
import { profiles } from "./profiles.ts";
import { createSeededHistory, type SeededHistory } from "./seeded-history.ts";
import type { SeededPublisher, SurfaceTerms } from "./seeded-publisher.ts";
import type { WorldSettings } from "./world-settings.ts";

/** Sign-ups are numbered from here, so their ids don't depend on the size of the population. */
export const FIRST_SIGN_UP_ORDINAL = 1_000_000;
/** The largest population; the ordinals above it belong to sign-ups. */
export const MAX_POPULATION = 1_000_000;

export interface Population {
  readonly size: number;
  publisherAt(ordinal: number): SeededPublisher;
  person(ordinal: number): Person;
  /** Daily totals of the days before the world's start; undefined where the publisher joined later. */
  baseline(publisher: { readonly ordinal: number }): SeededHistory | undefined;
  /** The price of a click on a surface with this cpm range, in micro-INR. */
  cpcMicros(ordinal: number, surfaceIndex: number, cpmPaise: SurfaceTerms["cpmPaise"]): number;
  /** The stream that prices the impressions of a publisher. */
  priceKey(ordinal: number): Key;
}

export interface PopulationOptions {
  readonly settings: WorldSettings;
  /** The world's first day: history ends before it. */
  readonly startDay: Day;
  readonly ids: Ids;
  /** Called on first need. */
  readonly people: () => PersonGenerator;
}

/** How many publishers' histories are kept at hand, some 20 kB each. Each can be worked out anew at any time. */
const BASELINES_KEPT = 1024;

/** The place of a surface in its publisher's list of `count`. */
interface Place {
  readonly index: number;
  readonly count: number;
}

const [active] = surfaceStatuses;

const statuses = {
  documented: () => active,
  /** The first can be recorded on, the last of several can't: no publisher is without either. */
  extended(numbers, { index, count }) {
    if (index === 0) return active;
    const lowest = index === count - 1 ? 1 : 0;
    const drawn = drawBetween(numbers, 400 + index, lowest, surfaceStatuses.length - 1);
    return surfaceStatuses[drawn] ?? active;
  },
} satisfies Record<Choice<"surface.statuses">, (numbers: Key, place: Place) => SurfaceStatus>;

/**
 * The price of a click, in micro-INR. Where at most 2 % of impressions are clicked, clicks earn less than a third, and all
 * revenue of 1,000 impressions is within the cpm range: their 20 clicks come to a fifth to two fifths of its width, and to
 * at most two fifths of its middle. In a range narrower than a tenth a click earns as much as two impressions: then revenue may
 * be up to 4 % above the range.
 */
function clickPrice(numbers: Key, index: number, [lower, upper]: SurfaceTerms["cpmPaise"]): number {
  const byWidth = (upper - lower) * drawBetween(numbers, 300 + index, 100, 200);
  return Math.max(1, 20 * lower, Math.min(byWidth, 100 * (lower + upper)));
}

export function createPopulation(options: PopulationOptions): Population {
  const { settings, startDay, ids } = options;
  const { seed, publishers: size, profile, assumptions } = settings;
  const bounds = profiles[profile];
  const statusOf = statuses[assumptions["surface.statuses"]];
  const numbersKey = deriveKey(seed, "numbers", profile);
  const trafficKey = deriveKey(seed, "traffic", profile);
  const pricesKey = deriveKey(seed, "price");
  const baselines = new Map<number, SeededHistory>();

  function publisherAt(ordinal: number): SeededPublisher {
    const numbers = subKey(numbersKey, ordinal);
    const count = drawBetween(numbers, 0, ...bounds.surfaces);
    // A joining day before the year 0 couldn't be written down.
    const historyDays = drawBetween(numbers, 1, ...bounds.historyDays);
    return {
      ordinal,
      joined: day(startDay - historyDays),
      surfaces: Array.from({ length: count }, (_, index) =>
        surfaceAt(ordinal, numbers, { index, count }),
      ),
    };
  }

  function surfaceAt(ordinal: number, numbers: Key, { index, count }: Place): SurfaceTerms {
    const names = bounds.surfaceNames;
    const firstName = drawBetween(numbers, 2, 0, names.length - 1);
    const lower = drawBetween(numbers, 100 + index, ...bounds.cpmPaise);
    const spreadPercent = drawBetween(numbers, 200 + index, ...bounds.cpmSpreadPercent);
    const cpmPaise = [lower, lower + Math.floor((lower * spreadPercent) / 100)] as const;
    return {
      id: ids.surface.encode(ordinal, index),
      name: names[(firstName + index * 5) % names.length] ?? "",
      status: statusOf(numbers, { index, count }),
      cpmPaise,
      cpcMicros: clickPrice(numbers, index, cpmPaise),
    };
  }

  function baseline(publisher: { readonly ordinal: number }): SeededHistory | undefined {
    if (publisher.ordinal >= size) return undefined;
    const known = baselines.get(publisher.ordinal);
    if (known !== undefined) {
      // A map is in order of insertion: the first to go is the one not asked for longest.
      baselines.delete(publisher.ordinal);
      baselines.set(publisher.ordinal, known);
      return known;
    }
    const seeded = publisherAt(publisher.ordinal);
    const numbers = subKey(numbersKey, publisher.ordinal);
    const count = seeded.surfaces.length;
    const made = createSeededHistory({
      key: subKey(trafficKey, publisher.ordinal),
      publisher: seeded,
      extendedStatuses: seeded.surfaces.map((_, index) =>
        statuses.extended(numbers, { index, count }),
      ),
      startDay,
      dailyImpressions: bounds.dailyImpressions,
      assumptions,
    });
    const oldest = baselines.keys().next();
    if (baselines.size >= BASELINES_KEPT && oldest.done === false) baselines.delete(oldest.value);
    baselines.set(publisher.ordinal, made);
    return made;
  }

  return {
    size,
    publisherAt,
    person: (ordinal) => options.people()(seed, profile, ordinal),
    baseline,
    cpcMicros: (ordinal, surfaceIndex, cpmPaise) =>
      clickPrice(subKey(numbersKey, ordinal), surfaceIndex, cpmPaise),
    priceKey: (ordinal) => subKey(pricesKey, ordinal),
  };
}
