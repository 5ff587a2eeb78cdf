/** A scenario from JSON text: what is no JSON is told by line and column, and a name that stands twice isn't lost. */

import { InputError } from "../../../base/input.ts";
import { repeatedMember } from "../../../base/repeated-members.ts";
import type { Scenario } from "../scenario.ts";
import { MAX_TEXT } from "./copy-data.ts";
import { type ParseScenarioOptions, parseScenario } from "./parse-scenario.ts";

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
  if (json.length > MAX_TEXT) {
    throw new InputError("scenario", `must be at most ${MAX_TEXT} characters of JSON`);
  }
  // Some editors put a byte order mark first.
  const text = json.startsWith("\uFEFF") ? json.slice(1) : json;
  const at = syntaxErrorAt(text);
  if (at !== undefined) {
    const before = text.slice(0, at).split("\n");
    const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
    const what = at >= text.length ? "it ends too early" : "something else is expected there";
    throw new InputError("scenario", `is not valid JSON at ${place}: ${what}`);
  }
  const value: unknown = JSON.parse(text);
  const repeated = repeatedMember(text);
  if (repeated !== undefined) {
    throw new InputError(repeated, "stands there more than once. Keep one of them");
  }
  return value;
}

/** What may come next. */
type Next = "value" | "value or ]" | "name" | "name or }" | "colon" | "after";

const space = /[ \t\n\r]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * The index of what can't stand there, or the length where something is missing; undefined of valid JSON. Engines say it
 * each in their own way, some not at all, and quote the text.
 */
function syntaxErrorAt(json: string): number | undefined {
  const open: string[] = [];
  let next: Next = "value";
  let at = 0;
  for (;;) {
    at = endOf(space, json, at) ?? at;
    const character = json[at];
    if (character === undefined) return next === "after" && open.length === 0 ? undefined : at;
    const inner = open.at(-1);
    if (next === "after") {
      if (character === (inner === "{" ? "}" : "]") && inner !== undefined) open.pop();
      else if (character === "," && inner !== undefined) next = inner === "{" ? "name" : "value";
      else return at;
      at += 1;
    } else if (next === "colon") {
      if (character !== ":") return at;
      next = "value";
      at += 1;
    } else if (character === (next === "name or }" ? "}" : next === "value or ]" ? "]" : "")) {
      open.pop();
      next = "after";
      at += 1;
    } else if (next === "name" || next === "name or }") {
      const end = endOfText(json, at);
      if (end === undefined) return at;
      next = "colon";
      at = end;
    } else if (character === "{" || character === "[") {
      open.push(character);
      next = character === "{" ? "name or }" : "value or ]";
      at += 1;
    } else {
      const end = character === '"' ? endOfText(json, at) : endOf(word, json, at);
      if (end === undefined) return at;
      next = "after";
      at = end;
    }
  }
}

function endOf(pattern: RegExp, json: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(json) ? pattern.lastIndex : undefined;
}

/** A loop, not a pattern: texts may have megabytes. */
function endOfText(json: string, start: number): number | undefined {
  if (json[start] !== '"') return undefined;
  let at = start + 1;
  for (;;) {
    const code = json.charCodeAt(at);
    if (code === 0x22) return at + 1;
    // Control characters, and NaN past the end.
    if (!(code >= 0x20)) return undefined;
    const end = code === 0x5c ? endOf(escaped, json, at) : at + 1;
    if (end === undefined) return undefined;
    at = end;
  }
}
