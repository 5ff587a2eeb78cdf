/** Parses a scenario from JSON text. Reports syntax errors by line and column, and rejects duplicate names. */

import { InputError } from "../../../base/input.ts";
import { repeatedMember } from "../../../base/repeated-members.ts";
import type { Scenario } from "../scenario.ts";
import { MAX_TEXT } from "./copy-data.ts";
import { type ParseScenarioOptions, parseScenario } from "./parse-scenario.ts";

/** @throws InputError that names the line and column of a syntax error, or the path to the mistake. */
export function parseScenarioText(json: string, options: ParseScenarioOptions = {}): Scenario {
  return parseScenario(readScenarioText(json), options);
}

/** The JSON value, not checked yet. @throws InputError as {@link parseScenarioText} for text that isn't JSON. */
export function readScenarioText(json: string): unknown {
  if (json.length > MAX_TEXT) {
    throw new InputError("scenario", `must be at most ${MAX_TEXT} characters of JSON`);
  }
  // Some editors write a byte order mark first.
  const text = json.startsWith("\uFEFF") ? json.slice(1) : json;
  const at = syntaxErrorAt(text);
  if (at !== undefined) {
    const before = text.slice(0, at).split("\n");
    const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
    const sign = /[{}[\],:]/.exec(text[at] ?? "")?.[0];
    const other = sign === undefined ? "something else is expected there" : `unexpected ${sign}`;
    const what = at >= text.length ? "it ends too early" : other;
    throw new InputError("scenario", `is not valid JSON at ${place}: ${what}`);
  }
  const value: unknown = JSON.parse(text);
  const repeated = repeatedMember(text);
  if (repeated !== undefined) {
    throw new InputError(repeated, "appears more than once. Keep one of them");
  }
  return value;
}

type Next = "value" | "value or ]" | "name" | "name or }" | "colon" | "after";

const space = /[ \t\n\r]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * The index of the first invalid character, or the length if the text ends too early. Undefined for valid JSON. The
 * messages of JavaScript engines differ, may lack the position, and quote the text, which may hold secrets.
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

/** A loop instead of a pattern, because texts can have megabytes. */
function endOfText(json: string, start: number): number | undefined {
  if (json[start] !== '"') return undefined;
  let at = start + 1;
  for (;;) {
    const code = json.charCodeAt(at);
    if (code === 0x22) return at + 1;
    // Rejects control characters, and NaN past the end.
    if (!(code >= 0x20)) return undefined;
    const end = code === 0x5c ? endOf(escaped, json, at) : at + 1;
    if (end === undefined) return undefined;
    at = end;
  }
}
