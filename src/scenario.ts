/** `adsim/scenario`: scenarios as data, typed in TypeScript and checked as JSON. */

export { type PlayScenarioOptions, playScenario } from "./adapters/play/play-scenario.ts";
export { defineScenario } from "./scenario/define/define-scenario.ts";
export { scenarioJsonSchema } from "./scenario/json-schema/json-schema.ts";
export type { OperationTally, TallySummary } from "./scenario/measure/tally.ts";
export { type ParseScenarioOptions, parseScenario } from "./scenario/parse/parse-scenario.ts";
export { parseScenarioText } from "./scenario/parse/parse-text.ts";
export { playScenarioSync, type SyncOptions } from "./scenario/player/in-process.ts";
export type {
  Check,
  InvariantResult,
  LatencySummary,
  PlayResult,
  ShownExchange,
  StepResult,
  ThresholdResult,
  TimelineBucket,
  Verdict,
} from "./scenario/player/result.ts";
export type {
  AdvanceStep,
  AnswerExpectation,
  AssumeStep,
  Cast,
  Expectation,
  ExpectStep,
  FaultStep,
  HealStep,
  Matcher,
  MatchRule,
  Operand,
  ParallelStep,
  PayoutsParameters,
  RawRequest,
  Reference,
  RepeatStep,
  RequestOutcome,
  RequestStep,
  RotateKeyStep,
  Scenario,
  SetSurfaceStep,
  SignUpStep,
  StatsParameters,
  Step,
  TrafficStep,
  Value,
} from "./scenario/scenario.ts";
export type { StepKind } from "./scenario/step-kind.ts";
export type { Arrivals, Mix, Rate, Spacing, Traffic } from "./scenario/traffic/traffic.ts";
