/** `adsim/client`: a client of the Publisher Advertising API, for Node and browsers, without dependencies. */

export {
  type Ads,
  type Click,
  type CloseOptions,
  createAds,
  type Impression,
} from "./client/ads.ts";
export type { AdsOptions } from "./client/ads-options.ts";
export type {
  ClickParameters,
  ClickRecord,
  ImpressionParameters,
  ImpressionRecord,
  Payout,
  Payouts,
  PayoutsParameters,
  PublisherStats,
  StatsParameters,
  Surface,
  Surfaces,
  SurfacesParameters,
} from "./client/api.ts";
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
} from "./client/client.ts";
export type { Retry } from "./client/delivery-queue.ts";
export type { Clock } from "./client/platform.ts";
export type { Outcome, Report, Undelivered } from "./client/report.ts";
export { InitError } from "./client/resolve-surfaces.ts";
export type { ApiError, Result } from "./client/result.ts";
