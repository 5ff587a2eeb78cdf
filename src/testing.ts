/** `adsim/testing`: what property tests of a client need, for fast-check. */

export {
  type ArbitraryAssumptionsOptions,
  arbitraryAssumptions,
} from "./testing/arbitrary-assumptions.ts";
