/** `adsim/scenario`: scenarios as data, typed in TypeScript and checked as JSON. */

export type { RequestOutcome } from "./invariants/client-exchange.ts";
export type { InvariantResult } from "./invariants/invariants.ts";
export type { LatencySummary, OperationTally, TallySummary } from "./play/measure/tally.ts";
export type { ThresholdResult } from "./play/measure/thresholds.ts";
export type { TimelineBucket } from "./play/measure/timeline.ts";
export { type PlayScenarioOptions, playScenario } from "./play/play-scenario.ts";
export type {
  Check,
  PlayResult,
  Result,
  ShownExchange,
  StepResult,
} from "./play/player/result.ts";
export { scenarioJsonSchema } from "./play/scenario/json-schema.ts";
export {
  defineScenario,
  type ParseScenarioOptions,
  parseScenario,
} from "./play/scenario/parse-scenario.ts";
export type { StepKind } from "./play/scenario/step-kind.ts";
export type {
  AdvanceStep,
  AnswerExpectation,
  AssumeStep,
  Expectation,
  ExpectStep,
  FaultStep,
  HealStep,
  Matcher,
  MatchRule,
  Operand,
  ParallelStep,
  PayoutsParameters,
  PublisherRef,
  RawRequest,
  Reference,
  RepeatStep,
  RequestStep,
  RotateKeyStep,
  Scenario,
  SetSurfaceStep,
  SignUpStep,
  StatsParameters,
  Step,
  TrafficStep,
  Value,
} from "./play/scenario/types.ts";
export type { Arrivals, Mix, Rate, Spacing, Traffic } from "./play/traffic/traffic.ts";
