/** `adsim/server`: the simulated service over HTTP, for Node, and its state in files. */

export { type Server, type ServerOptions, startServer } from "./adapters/node-http.ts";
export { loadSnapshot, SnapshotFileError, saveSnapshot } from "./adapters/snapshot-file.ts";
export type { MetricFamily, MetricSample } from "./contract/metrics.ts";
export type { Worlds } from "./worlds.ts";
