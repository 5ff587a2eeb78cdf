/** `adsim/server`: the simulated service over HTTP, for Node. */

export { type Server, type ServerOptions, startServer } from "./adapters/node-http.ts";
export type { MetricFamily, MetricSample } from "./contract/metrics.ts";
export type { Worlds } from "./worlds.ts";
