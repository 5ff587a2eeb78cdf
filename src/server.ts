/** `adsim/server`: the simulated service over HTTP, for Node, and its state in files. */

export { type Server, startServer } from "./adapters/node-http.ts";
export type { ServerOptions } from "./adapters/server-worlds.ts";
export { loadSnapshot, SnapshotFileError, saveSnapshot } from "./adapters/snapshot-file.ts";
export type { Worlds } from "./simulator/worlds.ts";
export type { MetricFamily, MetricSample } from "./spec/metrics.ts";
