export { createSimulator, type Simulator, type TraceOptions } from "./adapters/create-simulator.ts";
export { simulatorFromEnvironment } from "./adapters/environment.ts";
export { type AuditDifference, AuditError, type ClientCounts } from "./audit/assert-counts.ts";
export type { Audit, PublisherAudit } from "./audit/audit.ts";
export type { ClientReport } from "./audit/client-report.ts";
export type { EventLine, EventLines } from "./audit/figures.ts";
export type { Finding, FindingId } from "./audit/findings/finding.ts";
export type { Clock, ClockMode, WallClock } from "./base/clock.ts";
export type { Duration } from "./base/duration.ts";
export { InputError } from "./base/input.ts";
export { type CoveringArrayOptions, coveringArray } from "./choices/covering-array.ts";
export type { Faults, InstalledRule, RuleRemover } from "./faults/faults.ts";
export type { FaultFunction, FaultMatch, FaultRequest, FaultRule } from "./faults/rule.ts";
export type { Delay, Verdict } from "./faults/verdict.ts";
export type { JournalEntry, JournalFault, Nearest } from "./journal/entry.ts";
export type { HarFilter, JournalFilter } from "./journal/filter.ts";
export type { ExchangeObserver, Journal } from "./journal/journal.ts";

export type { SimulatorCore } from "./simulator/core.ts";
export type { Choices, SimulatorOptions } from "./simulator/simulator-options.ts";
export {
  type Assumption,
  type AssumptionKey,
  type Assumptions,
  type Choice,
  catalogue,
} from "./spec/assumptions/catalogue.ts";
export type { Delivery } from "./spec/delivery.ts";
export type { ApiRequest, ApiResponse } from "./spec/messages.ts";
export type { OperationId } from "./spec/operations.ts";
export type { Publisher, Surface } from "./world/accounts/account.ts";
export type {
  Publishers,
  SignUpRequest,
  SurfaceChange,
  SurfaceRequest,
} from "./world/accounts/publisher-directory.ts";
export type { Snapshot } from "./world/accounts/snapshot.ts";
export type { Profile } from "./world/publishers/profiles.ts";
