/** The users' interface to publishers: look them up, sign them up, rotate a key, change a surface. */

import * as v from "valibot";
import type { Day } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { InputError, parseInput } from "../../base/input.ts";
import { given } from "../../base/plain-data.ts";
import { anyOf, type Schema, strictObject } from "../../base/schemas.ts";
import { surfaceStatuses } from "../../spec/responses.ts";
import { MAX_SURFACES } from "../ledger/book.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import {
  type Account,
  type Credentials,
  type Publisher,
  publicPublisher,
  publicSurface,
  type Surface,
} from "./account.ts";
import type { Accounts, AccountWorld } from "./accounts.ts";

/** A surface in a sign-up. `cpmRange` is in INR, in whole paise, lower bound first; default `[10, 50]`. */
export interface SurfaceRequest {
  readonly name: string;
  readonly status?: string | undefined;
  readonly cpmRange?: readonly [lower: number, upper: number] | undefined;
}

export interface SignUpRequest {
  /** @default "New publisher" and its number */
  readonly name?: string | undefined;
  /** Names, or names with terms. @default one surface called "Main" */
  readonly surfaces?: readonly (string | SurfaceRequest)[] | undefined;
}

export type SurfaceChange = Partial<Omit<SurfaceRequest, "name">>;

/** Something that was done to a publisher, with what it takes to do it again. */
export type PublisherChange =
  | { readonly kind: "sign-up"; readonly signUp: SignUpRequest; readonly publisher: string }
  | { readonly kind: "rotate-key"; readonly publisher: string }
  | {
      readonly kind: "set-surface";
      readonly publisher: string;
      readonly surface: string;
      readonly change: SurfaceChange;
    };

/** The publishers of a world. Methods that take an id throw {@link InputError} if it doesn't exist. */
export interface Publishers {
  /** How many there are, including sign-ups. */
  readonly total: number;
  /** The publisher at this index, from 0: seeded publishers first, then sign-ups. @throws InputError outside the list. */
  at(index: number): Publisher;
  get(publisherId: string): Publisher;
  /** Up to `limit` publishers (default 20) from index `offset` (default 0). @throws InputError that names the invalid one. */
  list(range?: {
    readonly offset?: number | undefined;
    readonly limit?: number | undefined;
  }): Publisher[];
  /** Id, key and surfaces of the first `count` publishers. Faster than `list`, which invents names and contacts. */
  credentials(count: number): Credentials[];
  /** Adds a publisher that joined today and has no history. */
  signUp(request?: SignUpRequest): Publisher;
  /** Gives the publisher a new key. The old one is invalid from now on. */
  rotateKey(publisherId: string): Publisher;
  /** Changes a surface's status, price range or both, for requests from now on. */
  setSurface(publisherId: string, surfaceId: string, change: SurfaceChange): Surface;
}

/** The present parts of a world. A reset replaces them. */
export interface DirectoryWorld extends AccountWorld {
  readonly clock: Clock;
  readonly dayOf: (instantMs: number) => Day;
}

const price = v.pipe(
  v.number("must be a number of INR"),
  v.minValue(0, "must not be negative"),
  v.maxValue(10_000, "must be at most 10000 INR"),
  // A number with two decimals is exactly the result of this division.
  v.check((inr) => Math.round(inr * 100) / 100 === inr, "must be whole paise"),
);
const cpmRange: Schema<[lower: number, upper: number]> = v.pipe(
  v.strictTuple([price, price], "must be [lower, upper] in INR"),
  v.check(([lower, upper]) => lower <= upper, "must have its lower bound first"),
  v.description("INR for a thousand impressions, lower bound first."),
);
const surfaceStatus: Schema<string> = v.picklist(
  surfaceStatuses,
  `must be one of ${surfaceStatuses.join(", ")}`,
);
const text = v.pipe(
  v.string("must be a string"),
  v.minLength(1, "must not be empty"),
  v.maxLength(10_000, "must have at most 10,000 characters"),
  v.check((value) => value.isWellFormed(), "must be well-formed Unicode"),
);
const surfaceTerms = strictObject({
  name: text,
  status: v.optional(surfaceStatus),
  cpmRange: v.optional(cpmRange),
});
const neither = v.custom<never>(() => false, "must be a name, or {name, status?, cpmRange?}");
// The errors of a union would name the invalid entry, but not the field within it.
const surfaceRequest = anyOf<string | SurfaceRequest>([text, surfaceTerms], (entry) => {
  if (typeof entry === "string") return text;
  return typeof entry === "object" && entry !== null ? surfaceTerms : neither;
});
export const signUpSchema: Schema<SignUpRequest> = strictObject({
  name: v.optional(text),
  surfaces: v.optional(
    v.pipe(
      v.array(surfaceRequest, "must be a list of names, or of {name, status?, cpmRange?}"),
      v.minLength(1, "must name at least one surface"),
      v.maxLength(MAX_SURFACES, `must name at most ${MAX_SURFACES} surfaces`),
    ),
  ),
});
const fromZero = v.pipe(
  v.number("must be a whole number"),
  v.safeInteger("must be a whole number"),
  v.minValue(0, "must not be negative"),
);
const rangeSchema = strictObject({
  offset: v.optional(fromZero, 0),
  limit: v.optional(v.pipe(fromZero, v.minValue(1, "must be at least 1")), 20),
});
const countSchema = strictObject({ count: fromZero });
export const changeSchema: Schema<SurfaceChange> = v.pipe(
  strictObject({ status: v.optional(surfaceStatus), cpmRange: v.optional(cpmRange) }),
  v.check((change) => Object.keys(change).length > 0, "must change status, cpmRange or both"),
);

/** The account of the publisher with this id. @throws InputError if there is none. */
export function accountWith(
  publisherId: string,
  how: "peek" | "open",
  accounts: Accounts,
): Account {
  const ordinal = accounts.ordinalOf(String(publisherId));
  const account = ordinal === undefined ? undefined : accounts[how](ordinal);
  if (account !== undefined) return account;
  throw new InputError("publisher", "names no publisher of this world", "not-found");
}

function surfaceWith(surfaceId: string, { surfaces }: Account): SurfaceTerms {
  const found = surfaces.find(({ id }) => id === surfaceId);
  if (found !== undefined) return found;
  throw new InputError("surface", "names no surface of this publisher", "not-found");
}

/** In paise, as surfaces have it. */
function paiseOf([lower, upper]: NonNullable<SurfaceChange["cpmRange"]>): SurfaceTerms["cpmPaise"] {
  return [Math.round(lower * 100), Math.round(upper * 100)];
}

/** `note` is told of every change, once it is made. */
export function createDirectory(
  world: () => DirectoryWorld,
  note: (change: PublisherChange) => void,
): Publishers {
  const publicView = (account: Account): Publisher => publicPublisher(account, world().population);
  const find = (how: "peek" | "open", publisherId: string): Account =>
    accountWith(publisherId, how, world().accounts);
  /** The accounts at `count` indexes from `offset` on, as far as the list goes. */
  function peekFrom(offset: number, count: number): Account[] {
    const { accounts } = world();
    const length = Math.max(0, Math.min(count, accounts.total - offset));
    const found = Array.from({ length }, (_, index) => accounts.peekAt(offset + index));
    return found.filter((account) => account !== undefined);
  }

  return {
    get total(): number {
      return world().accounts.total;
    },
    at(index) {
      const [account] = peekFrom(index, 1);
      if (account !== undefined) return publicView(account);
      const last = world().accounts.total - 1;
      throw new InputError("index", `must be a whole number from 0 to ${last}`, "not-found");
    },
    get: (publisherId) => publicView(find("peek", publisherId)),
    list(range = {}) {
      const { offset, limit } = parseInput(rangeSchema, range);
      return peekFrom(offset, limit).map(publicView);
    },
    credentials(count) {
      const { count: most } = parseInput(countSchema, { count });
      return peekFrom(0, most).map(({ id, apiKey, surfaces }) => {
        return { id, apiKey, surfaces: surfaces.map(publicSurface) };
      });
    },
    signUp(request = {}) {
      const wanted = parseInput(signUpSchema, request);
      const { accounts, population, clock, dayOf } = world();
      const number = accounts.total - population.size + 1;
      const account = accounts.add({
        name: wanted.name ?? `New publisher ${number}`,
        joined: dayOf(clock.now()),
        surfaces: (wanted.surfaces ?? ["Main"]).map((entry) => {
          const surface: SurfaceRequest = typeof entry === "string" ? { name: entry } : entry;
          const { name, status = "active", cpmRange: range = [10, 50] } = surface;
          return { name, status, cpmPaise: paiseOf(range) };
        }),
      });
      note({ kind: "sign-up", signUp: wanted, publisher: account.id });
      return publicView(account);
    },
    rotateKey(publisherId) {
      const account = find("open", publisherId);
      world().accounts.rotateKey(account);
      note({ kind: "rotate-key", publisher: account.id });
      return publicView(account);
    },
    setSurface(publisherId, surfaceId, wanted) {
      const change = parseInput(changeSchema, wanted);
      // A refused change must not open the account.
      surfaceWith(surfaceId, find("peek", publisherId));
      const account = find("open", publisherId);
      const cpmPaise = change.cpmRange && paiseOf(change.cpmRange);
      const changed = given({ status: change.status, cpmPaise });
      world().accounts.setSurface(account, surfaceId, changed);
      note({ kind: "set-surface", publisher: account.id, surface: surfaceId, change });
      return publicSurface(surfaceWith(surfaceId, account));
    },
  };
}
