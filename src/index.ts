export type { Publisher, Surface } from "./accounts/account.ts";
export type {
  Publishers,
  SignUpRequest,
  SurfaceChange,
  SurfaceRequest,
} from "./accounts/directory.ts";
export type { Snapshot } from "./accounts/snapshot.ts";
export { createSimulator, type Simulator } from "./adapters/in-process.ts";
export {
  type AssumptionKey,
  type Assumptions,
  type Choice,
  catalogue,
  type OpenPoint,
} from "./assumptions/catalogue.ts";
export { type CoveringArrayOptions, coveringArray } from "./assumptions/covering-array.ts";
export type { ClientReport } from "./audit/client-report.ts";
export type { Finding, FindingId } from "./audit/finding.ts";
export type { Clock, ClockMode, WallClock } from "./base/clock.ts";
export type { Duration } from "./base/duration.ts";
export { InputError } from "./base/input.ts";
export type { ApiRequest, ApiResponse } from "./contract/messages.ts";
export type { OperationId } from "./contract/operations.ts";
export type { Journal, JournalEntry, JournalFilter } from "./journal/journal.ts";
export type { Profile } from "./publishers/profiles.ts";
export type { Readings, SimulatorOptions } from "./simulator-options.ts";
