/** The present state of a publisher: its origin (the seed or a sign-up), later changes, its book and its quotas. */

import { type Day, formatDay } from "../../base/calendar.ts";
import type { Key } from "../../base/random.ts";
import { Book } from "../ledger/book.ts";
import type { Ids } from "../publishers/ids.ts";
import type { Person } from "../publishers/people.ts";
import type { Population } from "../publishers/population.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import type { Bucket, Buckets } from "./buckets.ts";
import { createTally, type Tally } from "./tally.ts";

export interface Account {
  readonly ordinal: number;
  readonly id: string;
  readonly joined: Day;
  /** Prices the publisher's impressions. */
  readonly priceKey: Key;
  /** The person behind a sign-up. Undefined for a seeded publisher, whose person is computed on demand. */
  readonly person: Person | undefined;
  readonly book: Book;
  readonly tally: Tally;
  /** The index of each surface in `surfaces`, by id. */
  readonly surfaceIndexes: ReadonlyMap<string, number>;
  surfaces: readonly SurfaceTerms[];
  /** How often the key was rotated. */
  keySerial: number;
  /** The only valid key: the one with that serial. */
  apiKey: string;
  recordingBucket: Bucket;
  /** Undefined if clicks share the quota of impressions. */
  clickBucket: Bucket | undefined;
  /** Belongs to the key: a new key gets a new bucket. */
  reportingBucket: Bucket;
}

/** The parts of an account that can't be computed from its ordinal and the seed. */
export interface AccountOrigin extends Pick<Account, "ordinal" | "joined" | "surfaces"> {
  /** @default 0 */
  readonly keySerial?: number | undefined;
  readonly buckets: Buckets;
  readonly person?: Person | undefined;
  /** @default nothing recorded */
  readonly book?: Book | undefined;
  /** @default nothing counted */
  readonly tally?: Tally | undefined;
}

/** The source of all other parts of an account. */
export interface AccountSource {
  readonly ids: Ids;
  readonly population: Population;
}

export function createAccount(origin: AccountOrigin, { ids, population }: AccountSource): Account {
  const { ordinal, surfaces, keySerial = 0, buckets } = origin;
  return {
    ordinal,
    id: ids.publisher.encode(ordinal, 0),
    joined: origin.joined,
    priceKey: population.priceKey(ordinal),
    person: origin.person,
    book: origin.book ?? new Book(),
    tally: origin.tally ?? createTally(),
    surfaceIndexes: new Map(surfaces.map((surface, index) => [surface.id, index])),
    surfaces,
    keySerial,
    apiKey: ids.apiKey.encode(ordinal, keySerial),
    recordingBucket: buckets.recordingBucket,
    clickBucket: buckets.clickBucket,
    reportingBucket: buckets.reportingBucket,
  };
}

/** A surface as users see it. `cpmRange` is in INR for a thousand impressions, lower bound first. */
export interface Surface {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpmRange: readonly [lower: number, upper: number];
}

/** A publisher as users see it. `joined` is YYYY-MM-DD. All people, addresses and UPI ids are invented. */
export interface Publisher {
  readonly ordinal: number;
  readonly id: string;
  readonly apiKey: string;
  readonly name: string;
  readonly contact: { readonly name: string; readonly email: string };
  readonly upiId: string;
  readonly joined: string;
  readonly surfaces: readonly Surface[];
}

/** What a client needs to send requests: a publisher without the person behind it. */
export type Credentials = Pick<Publisher, "id" | "apiKey" | "surfaces">;

export function publicSurface(surface: SurfaceTerms): Surface {
  const [lower, upper] = surface.cpmPaise;
  return {
    id: surface.id,
    name: surface.name,
    status: surface.status,
    cpmRange: [lower / 100, upper / 100],
  };
}

export function publicPublisher(account: Account, person: Person): Publisher {
  return {
    ordinal: account.ordinal,
    id: account.id,
    apiKey: account.apiKey,
    name: person.name,
    contact: { ...person.contact },
    upiId: person.upiId,
    joined: formatDay(account.joined),
    surfaces: account.surfaces.map(publicSurface),
  };
}
