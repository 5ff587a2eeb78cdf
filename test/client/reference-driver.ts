/** The whole reference client under test: `createAds` for events, `createClient` for what is asked. */

import type { CreateDriver } from "../../src/testing.ts";
import { createAdsDriver } from "./ads-driver.ts";
import { createPlainDriver } from "./plain-driver.ts";

export const createReferenceDriver: CreateDriver = async (context) => {
  const { stats, surfaces, payouts } = await createPlainDriver(context);
  const ads = (await createAdsDriver(context)) as Awaited<ReturnType<CreateDriver>>;
  return Object.assign(ads, { stats, surfaces, payouts });
};
