/**
 * Parses JSON, and says where a text isn't JSON and what is expected there. Repeats none of the text, which may hold API keys:
 * the messages of JavaScript engines do, and they may lack the place.
 */

import { isPlainObject } from "./input.ts";

/** The text parsed as JSON; undefined if it isn't JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON object that the text is; undefined for any other text. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text);
  return isPlainObject(value) ? value : undefined;
}

/** `firstLine`: the number of the text's first line. @throws what `fail` makes of "is not valid JSON at line 3, column 12: …". */
export function parseJson(json: string, fail: (mistake: string) => Error, firstLine = 1): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw fail(describeMistake(json, firstLine) ?? "can't be parsed");
  }
}

function describeMistake(json: string, firstLine: number): string | undefined {
  const mistake = firstMistake(json);
  if (mistake === undefined) return undefined;
  const { at } = mistake;
  const before = json.slice(0, at).split("\n");
  const place = `line ${before.length - 1 + firstLine}, column ${(before.at(-1) ?? "").length + 1}`;
  return `is not valid JSON at ${place}: ${whatIsWrong(mistake, json[at])}`;
}

function whatIsWrong({ next }: Mistake, found: string | undefined): string {
  if (found === undefined) return "it ends too early";
  const isString = found === '"' && next !== "colon" && next !== "after" && next !== "end";
  if (isString) return "this string isn't closed, or has a character that JSON forbids";
  const sign = /[{}[\],:"]/.test(found) ? `, found ${found}` : "";
  return `expected ${expected[next]}${sign}`;
}

type Next = "value" | "value or ]" | "name" | "name or }" | "colon" | "after" | "end";

const expected: Readonly<Record<Next, string>> = {
  value: "a value",
  "value or ]": "a value or ]",
  name: "a name in double quotes",
  "name or }": "a name in double quotes, or }",
  colon: "a colon",
  after: "a comma or a closing bracket",
  end: "nothing more",
};

interface Mistake {
  readonly at: number;
  readonly next: Next;
}

const space = /[ \t\n\r]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The first character that can't stand where it is, and what can. It is the end if the text ends too early. */
function firstMistake(json: string): Mistake | undefined {
  const open: string[] = [];
  let next: Next = "value";
  let at = 0;
  for (;;) {
    at = endOf(space, json, at) ?? at;
    const character = json[at];
    const inner = open.at(-1);
    if (character === undefined) return next === "end" ? undefined : { at, next };
    if (next === "end") return { at, next };
    if (next === "after") {
      if (character === (inner === "{" ? "}" : "]")) open.pop();
      else if (character === ",") next = inner === "{" ? "name" : "value";
      else return { at, next };
      if (open.length === 0) next = "end";
      at += 1;
    } else if (next === "colon") {
      if (character !== ":") return { at, next };
      next = "value";
      at += 1;
    } else if (character === (next === "name or }" ? "}" : next === "value or ]" ? "]" : "")) {
      open.pop();
      next = open.length === 0 ? "end" : "after";
      at += 1;
    } else if (next === "name" || next === "name or }") {
      const end = endOfText(json, at);
      if (end === undefined) return { at, next };
      next = "colon";
      at = end;
    } else if (character === "{" || character === "[") {
      open.push(character);
      next = character === "{" ? "name or }" : "value or ]";
      at += 1;
    } else {
      const end = character === '"' ? endOfText(json, at) : endOf(word, json, at);
      if (end === undefined) return { at, next };
      next = open.length === 0 ? "end" : "after";
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
