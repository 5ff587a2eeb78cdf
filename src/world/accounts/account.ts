/** A publisher as the service and its users see it: derived from its state and the seed. */

import { type Day, formatDay } from "../../base/calendar.ts";
import type { Key } from "../../base/random.ts";
import type { Ids } from "../publishers/ids.ts";
import type { Population } from "../publishers/population.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import type { AccountState } from "./state.ts";

export interface Account extends Pick<AccountState, "ordinal" | "buckets" | "tally" | "book"> {
  readonly id: string;
  readonly joined: Day;
  /** Prices the publisher's impressions. */
  readonly priceKey: Key;
  /** The name that was given at a sign-up. */
  readonly chosenName: string | undefined;
  /** The index of each surface in `surfaces`, by id. */
  readonly surfaceIndexes: ReadonlyMap<string, number>;
  surfaces: readonly SurfaceTerms[];
  /** How often the key was rotated. */
  keySerial: number;
  /** The only valid key: the one with that serial. */
  apiKey: string;
}

/** The source of all parts of an account that aren't state. */
export interface AccountSource {
  readonly ids: Ids;
  readonly population: Population;
}

export function deriveAccount(state: AccountState, { ids, population }: AccountSource): Account {
  const { signUp, surfaces: changes, ...kept } = state;
  const { ordinal, keySerial } = kept;
  const { joined, surfaces: seeded } = population.publisherAt(ordinal, signUp);
  const surfaces = seeded.map((terms, index) => ({ ...terms, ...changes[index] }));
  return {
    ...kept,
    id: ids.publisher.encode(ordinal, 0),
    joined,
    priceKey: population.priceKey(ordinal),
    chosenName: signUp?.name,
    surfaceIndexes: new Map(surfaces.map((surface, index) => [surface.id, index])),
    surfaces,
    apiKey: ids.apiKey.encode(ordinal, keySerial),
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

export function publicSurface({ id, name, status, cpmPaise }: SurfaceTerms): Surface {
  const [lower, upper] = cpmPaise;
  return { id, name, status, cpmRange: [lower / 100, upper / 100] };
}

/** Invents the person behind the publisher, which takes time. */
export function publicPublisher(account: Account, population: Population): Publisher {
  const { name, contact, upiId } = population.person(account.ordinal);
  return {
    ordinal: account.ordinal,
    id: account.id,
    apiKey: account.apiKey,
    name: account.chosenName ?? name,
    contact: { ...contact },
    upiId,
    joined: formatDay(account.joined),
    surfaces: account.surfaces.map(publicSurface),
  };
}
