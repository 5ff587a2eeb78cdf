/** `createAds` in a simulated world, in virtual time. */

import { type Ads, type AdsOptions, createAds } from "../../src/client.ts";
import { openTestWorld, type TestWorld, type TestWorldOptions } from "../../src/testing.ts";

/** A client, and its world. */
interface Begun {
  readonly world: TestWorld;
  readonly ads: Ads;
  /** A surface's id. */
  readonly surface: string;
  /** Lets time pass until it is settled. */
  over<Value>(work: Promise<Value>): Promise<Value>;
  /** What arrived of an operation: its answers, or all. */
  sent(operation?: "impression" | "click"): { atMs: number; body: string; status: number }[];
}

type Changes = Partial<AdsOptions>;

/** `changes`: of the client's options. */
export async function begun(
  changes: Changes | ((world: TestWorld) => Changes) = {},
  about: TestWorldOptions = {},
): Promise<Begun> {
  const world = await openTestWorld(about);
  const { context, time, sim, surfaces } = world;
  const surface = surfaces[0]?.id ?? "";
  const changed = typeof changes === "function" ? changes(world) : changes;
  const ads = createAds({ ...context, clock: context.timers, surfaces: [surface], ...changed });
  return {
    world,
    ads,
    surface,
    async over(work) {
      await time.until(work);
      return await work;
    },
    sent: (operation) =>
      sim.journal
        .entries(operation === undefined ? {} : { operation })
        .map(({ at, request: { body }, response: { status } }) => {
          return { atMs: Date.parse(at), body, status };
        }),
  };
}

/** The same, started. */
export async function started(...given: Parameters<typeof begun>): Promise<Begun> {
  const client = await begun(...given);
  await client.over(client.ads.init());
  return client;
}
