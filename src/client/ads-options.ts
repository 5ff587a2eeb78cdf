/** What `createAds` is given, checked, with its defaults. */

import type { ClientOptions } from "./client.ts";
import type { Retry } from "./delivery-queue.ts";
import { assertOption, isText, TEXT, wholeNumber } from "./options.ts";
import { type Clock, platform } from "./platform.ts";

/** As for `createClient`, of which `timeoutMs` is at most 60000; and what follows. */
export interface AdsOptions extends ClientOptions {
  readonly publisherId: string;
  /** Names or ids of the surfaces that ads are shown on. */
  readonly surfaces: readonly string[];
  /** From 0 to below 1, for session ids and pauses. @default Math.random */
  readonly random?: (() => number) | undefined;
  /**
   * For how long the same surface and ad are one showing, in milliseconds, at most a day. Of more than 10,000 showings the
   * first are forgotten earlier.
   *
   * @default 1800000
   */
  readonly dedupWindowMs?: number | undefined;
  /** How many events may be under way, at most 10000; one that is reported beyond it is not sent. @default 1000 */
  readonly queueSize?: number | undefined;
  /** How many requests may be under way, those that wait for their repetition included. @default 4 */
  readonly concurrency?: number | undefined;
  readonly retry?: Partial<Retry> | undefined;
}

/** What is needed beside the client's own options. */
interface AdsSettings {
  readonly publisherId: string;
  readonly surfaceNames: readonly string[];
  readonly queueSize: number;
  readonly dedupWindowMs: number;
  readonly concurrency: number;
  readonly retry: Retry;
  readonly random: () => number;
  readonly clock: Clock;
}

/** Services may forget an impression after half an hour: then its repetition would be a new one. */
const LATEST_MS = 25 * 60_000;

/** @throws TypeError that names the option at fault. */
export function checkAdsOptions(options: AdsOptions): AdsSettings {
  const { publisherId, surfaces, queueSize = 1000, concurrency = 4, timeoutMs = 10_000 } = options;
  const { dedupWindowMs = 30 * 60_000, random = platform.random, clock = platform.clock } = options;
  const retry: Retry = { ...defaultRetry, ...options.retry };
  assertOption(isText(publisherId), "publisherId", TEXT);
  const areNames = Array.isArray(surfaces) && surfaces.length > 0 && surfaces.every(isText);
  assertOption(areNames, "surfaces", "a list that isn't empty");
  // More than a minute admits (spec §8) would only wait.
  wholeNumber(queueSize, "queueSize", 10_000);
  wholeNumber(dedupWindowMs, "dedupWindowMs", 86_400_000);
  wholeNumber(concurrency, "concurrency", 1000);
  for (const [name, value] of Object.entries(retry)) wholeNumber(value, `retry.${name}`, LATEST_MS);
  // The first request may arrive that late, and the last one as well.
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
