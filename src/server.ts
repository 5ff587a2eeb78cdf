/** `adsim/server`: the simulated service as an HTTP server for Node, and its state in files. */

export { loadSnapshot, SnapshotFileError, saveSnapshot } from "./adapters/files/snapshot-file.ts";
export { type Server, startServer } from "./adapters/server/server.ts";
export type { ServerOptions } from "./adapters/server/server-worlds.ts";
export type { Worlds } from "./simulator/worlds.ts";
export type { MetricFamily, MetricSample } from "./spec/metrics.ts";
