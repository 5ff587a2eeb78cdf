/** The options of `createAds`: their checks and defaults. */

import type { ClientOptions } from "./client.ts";
import type { DeliveryQueueOptions, Retry } from "./delivery-queue.ts";
import { assertOption, isText, TEXT, wholeNumber } from "./options.ts";
import { platformClock, platformRandom } from "./platform.ts";

/** The options of `createClient`, with a `timeoutMs` of at most 60000, and some more. */
export interface AdsOptions extends ClientOptions {
  readonly publisherId: string;
  /** Names or ids of the surfaces that show ads. */
  readonly surfaces: readonly string[];
  /** Returns a number from 0 to below 1. Used for session ids and pauses. @default Math.random */
  readonly random?: (() => number) | undefined;
  /**
   * How long the same ad on the same surface counts as one ad view, in milliseconds. At most a day. Only the last 10,000 ad
   * views are remembered.
   *
   * @default 1800000
   */
  readonly dedupWindowMs?: number | undefined;
  /** How many events may be pending, at most 10000. Events beyond that are not sent. @default 1000 */
  readonly queueSize?: number | undefined;
  /** How many requests may be under way, including those that wait for a retry. @default 4 */
  readonly concurrency?: number | undefined;
  readonly retry?: Partial<Retry> | undefined;
}

/** The checked options, without those that only `createClient` needs. */
interface AdsSettings extends DeliveryQueueOptions {
  readonly publisherId: string;
  readonly surfaceNames: readonly string[];
  readonly queueSize: number;
  readonly dedupWindowMs: number;
}

/** A service may forget an impression after half an hour. A retry after that would count as a new impression. */
const LATEST_MS = 25 * 60_000;

/** @throws TypeError that names the option at fault. */
export function checkAdsOptions(options: AdsOptions): AdsSettings {
  const { publisherId, surfaces, queueSize = 1000, concurrency = 4, timeoutMs = 10_000 } = options;
  const { dedupWindowMs = 30 * 60_000, random = platformRandom, clock = platformClock } = options;
  const retry: Retry = { ...defaultRetry, ...options.retry };
  assertOption(isText(publisherId), "publisherId", TEXT);
  const areNames = Array.isArray(surfaces) && surfaces.length > 0 && surfaces.every(isText);
  assertOption(areNames, "surfaces", "a list of names or ids, neither it nor one of them empty");
  // The limit of a minute (spec §8): more events would only wait.
  wholeNumber(queueSize, "queueSize", 10_000);
  wholeNumber(dedupWindowMs, "dedupWindowMs", 86_400_000);
  wholeNumber(concurrency, "concurrency", 1000);
  for (const [name, value] of Object.entries(retry)) wholeNumber(value, `retry.${name}`, LATEST_MS);
  // The first request may arrive this late, and so may the last one.
  wholeNumber(timeoutMs, "timeoutMs", 60_000);
  return {
    publisherId,
    surfaceNames: [...surfaces],
    queueSize,
    dedupWindowMs,
    concurrency,
    retry,
    random,
    clock,
  };
}

const defaultRetry: Retry = {
  attempts: 10,
  firstPauseMs: 1000,
  longestPauseMs: 60_000,
  giveUpAfterMs: 20 * 60_000,
};
