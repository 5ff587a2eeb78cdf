/** The whole reference client under test: `createAds` for events, `createClient` for what is asked. */

import type { CreateDriver, Driver, DriverContext } from "../../src/contract.ts";
import { type AdsChanges, createChangedAds } from "./ads-driver.ts";
import { createPlainDriver } from "./plain-driver.ts";

/** What a test changes of the client. @default nothing */
export interface ClientChanges extends AdsChanges {
  readonly context?: ((context: DriverContext) => Partial<DriverContext>) | undefined;
  /** What takes the place of the driver's methods. */
  readonly driver?: ((driver: Driver, context: DriverContext) => Partial<Driver>) | undefined;
}

export const createReferenceDriver: CreateDriver = createChangedDriver({});

export function createChangedDriver({
  context: wrap,
  driver,
  ...ads
}: ClientChanges): CreateDriver {
  return async (given) => {
    const context = { ...given, ...wrap?.(given) };
    const { stats, surfaces, payouts } = await createPlainDriver(context);
    const events = (await createChangedAds(context, ads)) as Driver;
    const own: Driver = Object.assign(events, { stats, surfaces, payouts });
    return { ...own, ...driver?.(own, context) };
  };
}
