/** Parses a scenario from JSON text. */

import { InputError } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import { type ParseScenarioOptions, parseScenario } from "./parse-scenario.ts";
import type { Scenario } from "./types.ts";

/** The longest scenario as JSON text, in UTF-16 units. */
const MAX_TEXT = 4 * 1024 * 1024;

/** The longest of what `record` makes. */
export const MAX_RECORDED_TEXT = 64 * 1024 * 1024;

/** @throws InputError that says what is wrong with the JSON, or names the path to the mistake. */
export function parseScenarioText(json: string, options: ParseScenarioOptions = {}): Scenario {
  return parseScenario(readScenarioText(json), options);
}

/** The JSON value, not checked yet. @throws InputError as {@link parseScenarioText} for text that isn't JSON. */
export function readScenarioText(json: string, longest: number = MAX_TEXT): unknown {
  if (json.length > longest) {
    throw new InputError("scenario", `must be at most ${longest} characters of JSON`);
  }
  return parseJson(json, (mistake) => new InputError("scenario", mistake));
}
