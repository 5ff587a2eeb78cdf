/** Finds the publisher, surface or impression that a client may have meant by an id that isn't one of its own. */

import type { IdCodec } from "../../base/id-codec.ts";
import type { Account } from "../../world/accounts/account.ts";
import { anySurface } from "./curl-request.ts";
import type { Lookup } from "./lookup.ts";
import {
  compareWithId,
  compareWithName,
  firstSimilar,
  quotedValue,
  textOf,
  withoutWrapping,
} from "./similarity.ts";

type IdParts = NonNullable<ReturnType<IdCodec["decode"]>>;

/** What was sent in a parameter, and what exists. `id`: undefined if nothing does. */
export interface NearestId {
  readonly sent: string;
  readonly closest: string;
  readonly id: string | undefined;
  /** The account that `id` belongs to. */
  readonly account: Account;
}

/** `caller`: the account whose key was sent. */
export function nearestPublisher(value: unknown, caller: Account, lookup: Lookup): NearestId {
  const sent = `publisher_id=${quotedValue(value)}`;
  const text = textOf(value);
  const its = (what: string, account: Account = caller): NearestId => ({
    sent: `${sent}, which ${what}`,
    closest: `publisher_id=${account.id}${account === caller ? ", whose API key was sent" : ""}`,
    id: account.id,
    account,
  });
  if (text === caller.id) return its("is valid now");
  if (lookup.byId(text) !== undefined) return its("is another publisher's");
  const compare = compareWithId(text);
  const own = compare(caller.id);
  if (own !== undefined) return its(own);
  if (lookup.world.assumptions["auth.key-scope"] === "any") {
    const alike = firstSimilar(compare, lookup.publishers, ({ id }) => id);
    const account = alike && lookup.account(alike.candidate.ordinal);
    if (alike !== undefined && account !== undefined) return its(alike.how, account);
  }
  const { ids } = lookup.world;
  if (ids.apiKey.decode(withoutWrapping(text)) !== undefined) return its("is an API key");
  if (ids.surface.decode(text) !== undefined) return its("is the id of a surface");
  return its("names no publisher of this world");
}

export function nearestSurface(value: unknown, account: Account, lookup: Lookup): NearestId {
  const sent = `surface=${quotedValue(value)}`;
  const text = textOf(value);
  const { surfaces } = account;
  const its = (what: string, surface = anySurface(account)): NearestId => ({
    sent: `${sent}, which ${what}`,
    closest: `surface=${surface.id}, "${quotedValue(surface.name)}" of ${account.id}`,
    id: surface.id,
    account,
  });
  const named = firstSimilar(compareWithName(text), surfaces, ({ name }) => name);
  if (named !== undefined) {
    const is = named.candidate.name === text ? "is" : `${named.how}, but is almost`;
    return its(`${is} the name of a surface: send its id`, named.candidate);
  }
  const alike = firstSimilar(compareWithId(text), surfaces, ({ id }) => id);
  if (alike !== undefined) return its(alike.how, alike.candidate);
  const { ids } = lookup.world;
  const parts = ids.surface.decode(text);
  const owner = parts && lookup.account(parts.publisher);
  if (owner !== undefined && owner !== account) return its(`is a surface of ${owner.id}`);
  if (parts !== undefined) return its("was a surface before the world was reset or restored");
  if (lookup.byId(text) !== undefined) return its("is a publisher_id");
  return its(`is none of the ${surfaces.length} surfaces of ${account.id}`);
}

export function nearestImpression(value: unknown, caller: Account, lookup: Lookup): NearestId {
  const sent = `impression_id=${quotedValue(value)}`;
  const text = textOf(value);
  const { ids } = lookup.world;
  const [latest] = lookup.impressionIds(caller);
  const its = (what: string, id: string | undefined = latest): NearestId => ({
    sent: `${sent}, which ${what}`,
    closest:
      id === undefined
        ? `no impression: ${caller.id} has none yet. Record one first`
        : `impression_id=${id}, an impression of ${caller.id}`,
    id,
    account: caller,
  });
  const parts = ids.impression.decode(text);
  if (parts !== undefined) return its(impressionText(parts, caller, lookup), idOf(parts));
  const clicked = ids.click.decode(text);
  if (clicked !== undefined) return its("is a click_id", idOf(clicked));
  const alike = firstSimilar(compareWithId(text), lookup.impressionIds(caller), (id) => id);
  if (alike !== undefined) return its(alike.how, alike.candidate);
  if (ids.surface.decode(text) !== undefined) return its("is the id of a surface");
  if (lookup.byId(text) !== undefined) return its("is a publisher_id");
  return its("names no impression: it is made up, or from a world with another seed");

  /** The id of that impression if it exists and is the caller's, otherwise the caller's latest. */
  function idOf(of: IdParts): string | undefined {
    if (of.publisher !== caller.ordinal || of.serial >= caller.book.count) return latest;
    return ids.impression.encode(of.publisher, of.serial);
  }
}

function impressionText({ publisher, serial }: IdParts, caller: Account, lookup: Lookup): string {
  const owner = lookup.account(publisher);
  const count = owner?.book.count ?? 0;
  if (owner !== undefined && serial < count) {
    return owner === caller ? "is valid now" : `is an impression of ${owner.id}`;
  }
  if (owner === undefined) return "is an impression of a publisher that this world doesn't have";
  return `was issued before the world was reset or restored: ${owner.id} has ${count} impressions, and this is number ${serial + 1}`;
}
