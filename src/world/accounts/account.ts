/** A publisher as it is now: what the seed or the sign-up gave it, what was changed since, its book and its quotas. */

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
  /** The person behind a sign-up; a seeded publisher's is worked out when asked for. */
  readonly person: Person | undefined;
  readonly book: Book;
  readonly tally: Tally;
  /** Place of each surface in `surfaces`, by id. */
  readonly surfaceIndexes: ReadonlyMap<string, number>;
  surfaces: readonly SurfaceTerms[];
  /** How often the key was rotated. */
  keySerial: number;
  /** The key with that serial, the only one that is valid. */
  apiKey: string;
  recordingBucket: Bucket;
  /** Undefined where clicks are counted with the impressions. */
  clickBucket: Bucket | undefined;
  /** Belongs to the key: a new key has a new one. */
  reportingBucket: Bucket;
}

/** What doesn't follow from the publisher's number and the seed. */
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

/** What the rest of an account follows from. */
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

/** A surface as users see it. `cpmRange`: INR for a thousand impressions, lower bound first. */
export interface Surface {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpmRange: readonly [lower: number, upper: number];
}

/** A publisher as users see it. `joined`: YYYY-MM-DD. All people, addresses and UPI ids are made up. */
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

/** What a caller needs to send requests: a publisher without the people behind it. */
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
