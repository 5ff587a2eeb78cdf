/** A scenario from JSON text: what is no JSON is told by line and column, and a name that stands twice isn't lost. */

import { InputError } from "../../../base/input.ts";
import { repeatedMember } from "../../../base/repeated-members.ts";
import type { Scenario } from "../scenario.ts";
import { MOST_TEXT } from "./copy-data.ts";
import { type ParseScenarioOptions, parseScenario } from "./parse-scenario.ts";
import { syntaxErrorAt } from "./syntax-error.ts";

/**
 * The scenario that a JSON text holds.
 *
 * @throws InputError that names line and column of what isn't JSON, or the path to what is wrong.
 */
export function parseScenarioText(json: string, options: ParseScenarioOptions = {}): Scenario {
  return parseScenario(readScenarioText(json), options);
}

/** What a JSON text holds, not yet looked at. @throws InputError as {@link parseScenarioText} for what isn't JSON. */
export function readScenarioText(json: string): unknown {
  if (json.length > MOST_TEXT) {
    throw new InputError("scenario", `must be at most ${MOST_TEXT} characters of JSON`);
  }
  // Some editors put a byte order mark first.
  const text = json.startsWith("\uFEFF") ? json.slice(1) : json;
  const at = syntaxErrorAt(text);
  if (at !== undefined) {
    const before = text.slice(0, at).split("\n");
    const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
    const what = at >= text.length ? "it ends there, too early" : "something else must stand there";
    throw new InputError("scenario", `is not valid JSON at ${place}: ${what}`);
  }
  const value: unknown = JSON.parse(text);
  const repeated = repeatedMember(text);
  if (repeated !== undefined) {
    throw new InputError(repeated, "stands there more than once. Keep one of them");
  }
  return value;
}
