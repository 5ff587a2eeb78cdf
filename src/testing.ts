/** `adsim/testing`: what property tests of a client need, for fast-check. */

export {
  type ArbitraryAssumptionsOptions,
  arbitraryAssumptions,
} from "./testing/arbitraries/assumptions.ts";
export {
  type ArbitraryClockPlanOptions,
  arbitraryClockPlan,
  type ClockStep,
} from "./testing/arbitraries/clock-plan.ts";
export {
  type ArbitraryCommandKindsOptions,
  type ArbitraryCommandsOptions,
  arbitraryCommands,
  type CommandKind,
  commandWeights,
} from "./testing/arbitraries/commands.ts";
export {
  type DriverCommand,
  type DriverCommandsOptions,
  type DriverModel,
  driverCommands,
  type RunningLife,
  withDriver,
} from "./testing/arbitraries/driver-commands.ts";
export type { Edge } from "./testing/arbitraries/edges.ts";
export {
  type ArbitraryFaultPlanOptions,
  type ArbitraryFaultRuleOptions,
  arbitraryFaultPlan,
  arbitraryFaultRule,
} from "./testing/arbitraries/fault-plan.ts";
export { playTrace, type TraceStep } from "./testing/arbitraries/play-trace.ts";
export {
  type ArbitraryPublisherOptions,
  arbitraryPublisher,
} from "./testing/arbitraries/publisher.ts";
export { type Flaw, type FlawKind, flawKinds } from "./testing/arbitraries/request/flaw.ts";
export type { KnownImpression, RequestSource } from "./testing/arbitraries/request/scene.ts";
export {
  type ArbitraryRequestOptions,
  arbitraryRequest,
  type RequestCase,
} from "./testing/arbitraries/request.ts";
export {
  type ArbitrarySchedulerOptions,
  arbitraryScheduler,
} from "./testing/arbitraries/scheduler.ts";
export {
  type ArbitraryTraceOptions,
  arbitraryTrace,
  type TraceEvent,
} from "./testing/arbitraries/trace.ts";
export { BrokenRule } from "./testing/contract/rule.ts";
export { type Tried, type TryOptions, tryRule } from "./testing/contract/try-rule.ts";
export type {
  CreateDriver,
  Driver,
  DriverContext,
  Period,
  Shown,
  Undelivered,
} from "./testing/driver/driver.ts";
export {
  openTestWorld,
  type Scheduler,
  type TestWorld,
  type TestWorldOptions,
} from "./testing/driver/test-world.ts";
export { createMarks, type Mark, type MarkReport, type Marks } from "./testing/marks.ts";
export type { ClientCommand, Command, WorldCommand } from "./testing/session/command.ts";
export { beginLife, type Life, live } from "./testing/session/live.ts";
export type { Outcome, Session, Showing, Step } from "./testing/session/session.ts";
export type { WireAnswer, WireExchange } from "./testing/session/wire.ts";
export type { Time, Timers } from "./testing/time/time.ts";
