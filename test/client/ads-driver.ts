/** `createAds` as a client under test: it queues, so that its methods resolve before anything is sent. */

import {
  type Ads,
  type AdsOptions,
  createAds,
  type Impression,
  type Report,
} from "../../src/client.ts";
import type { CreateDriver, Driver, DriverContext, Undelivered } from "../../src/contract.ts";

/** What `impression` gives. The record's fields are there once it is recorded. */
interface Receipt {
  readonly impression: Impression;
  impression_id?: string;
  revenue_credited_inr?: number;
}

/** What a test changes of the client. @default nothing */
export interface AdsChanges {
  readonly options?: Partial<AdsOptions> | undefined;
  /** What takes the place of its methods. */
  readonly ads?: ((ads: Ads) => Partial<Ads>) | undefined;
}

export const createAdsDriver: CreateDriver<Receipt> = (context) => createChangedAds(context, {});

export async function createChangedAds(
  context: DriverContext,
  { options, ads: changed }: AdsChanges,
): Promise<Driver<Receipt>> {
  const { baseUrl, apiKey, fetch, timers, random, publisherId, surfaces } = context;
  const ids = surfaces.map(({ id }) => id);
  const own = createAds({
    baseUrl,
    apiKey,
    publisherId,
    surfaces: ids,
    fetch,
    clock: timers,
    random,
    ...options,
  });
  const ads: Ads = { ...own, ...changed?.(own) };
  await ads.init();
  /** Since it was started. */
  const undelivered = { impressions: 0, clicks: 0 };
  let closing: Promise<Undelivered> | undefined;
  const counted = (report: Report): Undelivered => {
    const now = { impressions: 0, clicks: 0 };
    for (const { kind } of report.undelivered)
      now[kind === "click" ? "clicks" : "impressions"] += 1;
    undelivered.impressions += now.impressions;
    undelivered.clicks += now.clicks;
    return now;
  };
  return {
    impression({ surface, ad }) {
      const impression = ads.impression(surface, ad);
      const receipt: Receipt = { impression };
      impression.recorded.then((outcome) => {
        if (outcome.ok) Object.assign(receipt, outcome.value);
      });
      return receipt;
    },
    async click({ impression }) {
      ads.click(impression);
    },
    flush: async () => counted(await ads.flush()),
    close() {
      closing ??= ads.close().then((report) => {
        counted(report);
        return { ...undelivered };
      });
      return closing;
    },
    // As `retry.giveUpAfterMs` is by default.
    maxAgeMs: 20 * 60_000,
  };
}
