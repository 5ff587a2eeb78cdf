/** `adsim/testing`: tools for property tests of a client, with fast-check, and what a request gets under other choices. */

export type { Answer } from "./choices/answer.ts";
export type { NamedChoice } from "./choices/compare-choices.ts";
export {
  type AnswerGroup,
  type ChoiceComparison,
  type CompareChoicesOptions,
  compareChoices,
} from "./choices/compare-choices.ts";
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
  type ArbitraryCommandsOptions,
  arbitraryCommands,
  type CommandKind,
  commandWeights,
} from "./testing/arbitraries/commands.ts";
export type { Edge } from "./testing/arbitraries/edges.ts";
export {
  type ArbitraryFaultPlanOptions,
  type ArbitraryFaultRuleOptions,
  arbitraryFaultPlan,
  arbitraryFaultRule,
} from "./testing/arbitraries/fault-plan.ts";
export {
  type ArbitraryPublisherOptions,
  arbitraryPublisher,
} from "./testing/arbitraries/publisher.ts";
export {
  type ArbitraryRequestOptions,
  arbitraryRequest,
  type RequestCase,
} from "./testing/arbitraries/request.ts";
export { type Flaw, type FlawKind, flawKinds } from "./testing/arbitraries/request-flaws.ts";
export type {
  KnownImpression,
  RequestSource,
} from "./testing/arbitraries/request-source.ts";
export {
  type CheckInvariantsOptions,
  checkInvariants,
  invariants,
} from "./testing/check-invariants/check-invariants.ts";
export { clientContract } from "./testing/contract/client-contract.ts";
export type { ClientContractOptions, Describe, It } from "./testing/contract/contract-options.ts";
export { ContractError } from "./testing/contract/failure.ts";
export type { ContractReport, RuleVerdict } from "./testing/contract/report.ts";
export { BrokenRule, must, type Rule } from "./testing/contract/rules/rule.ts";
export { type ScenarioOfOptions, scenarioOf } from "./testing/contract/scenario-of.ts";
export { type Tried, type TryOptions, tryRule } from "./testing/contract/try-rule.ts";
export type {
  CreateDriver,
  Driver,
  DriverContext,
  Period,
  Shown,
  Undelivered,
} from "./testing/driver/driver.ts";
export type { ClientPromises, Promised } from "./testing/driver/promises.ts";
export {
  openTestWorld,
  type TestWorld,
  type TestWorldOptions,
} from "./testing/driver/test-world.ts";
export type { ClientCommand, Command, WorldCommand } from "./testing/session/command.ts";
export { beginSession, type RunningSession, runSession } from "./testing/session/run-session.ts";
export type { AdView, Outcome, Session, Step } from "./testing/session/session.ts";
export { type EventTask, eventsOf } from "./testing/session/tasks.ts";
export type { WireAnswer, WireExchange } from "./testing/session/wire-exchange.ts";
export { commandInWords } from "./testing/session/words.ts";
export type { Time, Timers } from "./testing/time/time.ts";
