/** `adsim/scenario`: scenarios as data, typed in TypeScript and checked as JSON. */

export type { RequestOutcome } from "./invariants/client-exchange.ts";
export type { InvariantResult } from "./invariants/judge.ts";
export { defineScenario } from "./play/language/define/define-scenario.ts";
export { scenarioJsonSchema } from "./play/language/json-schema.ts";
export { type ParseScenarioOptions, parseScenario } from "./play/language/parse/parse-scenario.ts";
export { parseScenarioText } from "./play/language/parse/parse-text.ts";
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
} from "./play/language/scenario.ts";
export type { StepKind } from "./play/language/step-kind.ts";
export type { LatencySummary } from "./play/measure/latencies.ts";
export type { OperationTally, TallySummary } from "./play/measure/tally.ts";
export type { ThresholdResult } from "./play/measure/thresholds.ts";
export type { TimelineBucket } from "./play/measure/timeline.ts";
export type {
  Check,
  PlayResult,
  ShownExchange,
  StepResult,
  Verdict,
} from "./play/player/result.ts";
export { type PlayScenarioOptions, playScenario } from "./play/targets/play-scenario.ts";
export type { Arrivals, Mix, Rate, Spacing, Traffic } from "./play/traffic/traffic.ts";
