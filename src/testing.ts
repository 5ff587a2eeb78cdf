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
  type ArbitraryCommandsOptions,
  arbitraryCommands,
} from "./testing/arbitraries/commands.ts";
export {
  type ArbitraryClockPlanOptions,
  type ArbitraryFaultRuleOptions,
  arbitraryClockPlan,
  arbitraryFaultPlan,
  arbitraryFaultRule,
  type ClockStep,
} from "./testing/arbitraries/plans.ts";
export {
  type ArbitraryRequestOptions,
  arbitraryPublisher,
  arbitraryRequest,
  type RequestCase,
} from "./testing/arbitraries/request.ts";
export {
  type CheckInvariantsOptions,
  checkInvariants,
  invariants,
} from "./testing/check-invariants/check-invariants.ts";
export { type ScenarioOfOptions, scenarioOf } from "./testing/contract/scenario-of.ts";
export type { CreateDriver, Driver } from "./testing/driver/driver.ts";
export {
  openTestWorld,
  type TestWorld,
  type TestWorldOptions,
} from "./testing/driver/test-world.ts";
export type { Command } from "./testing/session/command.ts";
export { runSession } from "./testing/session/run-session.ts";
export type { Session } from "./testing/session/session.ts";
