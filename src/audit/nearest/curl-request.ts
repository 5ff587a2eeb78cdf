/** Builds a request that will succeed, close to one that failed: it keeps the valid parameters and replaces the others. */

import { formatDay, parseDay } from "../../base/calendar.ts";
import { DAY_MS } from "../../base/duration.ts";
import { given } from "../../base/given.ts";
import { dayReader } from "../../exchange/operations/time-choices.ts";
import type { RawParameters } from "../../exchange/parameters.ts";
import type { World } from "../../exchange/world.ts";
import { type Operation, type OperationId, operations } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import { isClicked, recordedMs } from "../../world/ledger/book.ts";
import type { CurlRequest } from "./curl-line.ts";

export interface CurlRequestParts {
  readonly world: World;
  readonly operation: Operation;
  readonly account: Account;
  /** The parameters as they were sent. */
  readonly raw: RawParameters;
  /** Ids that replace the ones sent. */
  readonly surface?: string | undefined;
  readonly impression?: string | undefined;
}

type Parameters = Readonly<Record<string, string>>;

export function curlRequestOf(parts: CurlRequestParts): CurlRequest {
  const { operation } = parts;
  return operation.id === "click"
    ? clickOf(parts)
    : { operation, parameters: parametersByOperation[operation.id](parts) };
}

const parametersByOperation: Readonly<
  Record<Exclude<OperationId, "click">, (parts: CurlRequestParts) => Parameters>
> = {
  stats: ({ world, account, raw, surface }) => ({
    publisher_id: account.id,
    ...periodOf(raw, world),
    ...given({ surface: surface ?? ownSurface(account, raw) }),
  }),
  impression: ({ account, raw, surface }) => ({
    publisher_id: account.id,
    surface: surface ?? ownSurface(account, raw) ?? anySurface(account).id,
    ad_id: shortText(raw.ad_id) ?? "ad-1",
  }),
  surfaces: ({ account }) => ({ publisher_id: account.id }),
  payouts: ({ account, raw }) => ({
    publisher_id: account.id,
    ...given({ limit: /^(?:[1-9]\d?|100)$/.exec(String(raw.limit))?.[0] }),
  }),
};

/** If there is no impression to click, the request makes one first. */
function clickOf({ world, operation, account, raw, impression }: CurlRequestParts): CurlRequest {
  const wanted = impression ?? latestClickable(world, account);
  if (wanted !== undefined && isClickable(world, account, wanted)) {
    return { operation, parameters: { impression_id: wanted } };
  }
  const parameters = parametersByOperation.impression({ world, operation, account, raw });
  return { operation, parameters: {}, first: { operation: operations.impression, parameters } };
}

/** How many of the latest impressions are examined. */
const MAX_EXAMINED = 100;

function latestClickable(world: World, account: Account): string | undefined {
  const { book } = account;
  const oldest = Math.max(0, book.count - MAX_EXAMINED);
  for (let serial = book.count - 1; serial >= oldest; serial -= 1) {
    if (isClicked(book, serial)) continue;
    return world.ids.impression.encode(account.ordinal, serial);
  }
  return undefined;
}

/** Whether a click on it is accepted under every choice of `click.window`. */
function isClickable({ ids, assumptions, clock }: World, account: Account, id: string): boolean {
  const { book } = account;
  const serial = ids.impression.decode(id)?.serial;
  if (serial === undefined || serial >= book.count) return false;
  if (isClicked(book, serial) && assumptions["click.repeat"] === "conflict") return false;
  const isRecent = clock.now() - recordedMs(book, serial) < DAY_MS;
  return isRecent || assumptions["click.window"] === "none";
}

/** An active surface if there is one. */
export function anySurface({ surfaces }: Account): Account["surfaces"][number] {
  const found = surfaces.find(({ status }) => status === "active") ?? surfaces[0];
  if (found === undefined) throw new Error("A publisher without surfaces. This is a bug in adsim.");
  return found;
}

function ownSurface({ surfaceIndexes }: Account, { surface }: RawParameters): string | undefined {
  return typeof surface === "string" && surfaceIndexes.has(surface) ? surface : undefined;
}

/** The days that were sent, if they form a period that doesn't reach into the future. */
function periodOf({ from, to }: RawParameters, { assumptions, clock }: World): Parameters {
  const today = dayReader(assumptions)(clock.now());
  const first = typeof from === "string" ? parseDay(from) : undefined;
  const last = typeof to === "string" ? parseDay(to) : undefined;
  if ((last ?? today) > today || (first ?? 0) > (last ?? today)) return {};
  return given({
    from: first === undefined ? undefined : formatDay(first),
    to: last === undefined ? undefined : formatDay(last),
  });
}

const LONGEST_TEXT = 100;

function shortText(value: unknown): string | undefined {
  return typeof value === "string" &&
    value.length > 0 &&
    value.length <= LONGEST_TEXT &&
    value.isWellFormed()
    ? value
    : undefined;
}
