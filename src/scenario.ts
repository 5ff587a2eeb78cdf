export { type PlayScenarioOptions, playScenario } from "./adapters/play/play-scenario.ts";
export { defineScenario } from "./scenario/define-scenario.ts";
export { parseScenario } from "./scenario/parse/parse-scenario.ts";
export { playScenarioSync, type SyncOptions } from "./scenario/player/in-process.ts";
export type { PlayResult, Verdict } from "./scenario/player/result.ts";
export type { Expectation, Scenario, Step } from "./scenario/scenario.ts";
