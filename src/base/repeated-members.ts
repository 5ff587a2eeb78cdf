/** Finds repeated members in a JSON text. `JSON.parse` silently keeps the last one. */

import { shownName } from "./text.ts";

/** An object or a list that the scan has entered. */
interface Frame {
  /** The names found so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  /** The current name or index. */
  at: string | number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** The path of the first repeated member, such as `surfaces.0.name`. `json` must be valid. */
export function repeatedMember(json: string): string | undefined {
  const frames = framesOfRepeated(json, () => true);
  return frames && pathOf(frames);
}

/** The first of these names that the outermost object repeats. `json` must be valid. */
export function repeatedName(json: string, names: ReadonlySet<string>): string | undefined {
  const frames = framesOfRepeated(json, (name, depth) => depth === 1 && names.has(name));
  return frames && String(frames[0]?.at);
}

/** The frames around the first repeated member that `matters`. The outermost object has depth 1. */
function framesOfRepeated(
  json: string,
  matters: (name: string, depth: number) => boolean,
): readonly Frame[] | undefined {
  const frames: Frame[] = [];
  let inner: Frame | undefined;
  let start = 0;
  let end = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      start = at;
      end = endOfString(json, at);
      at = end;
    } else if (code === COLON && inner?.names !== undefined) {
      // The string before a colon is a name.
      const written = json.slice(start + 1, end);
      const name: string = written.includes("\\") ? JSON.parse(`"${written}"`) : written;
      inner.at = name;
      if (inner.names.has(name) && matters(name, frames.length)) return frames;
      inner.names.add(name);
    } else if (code === COMMA) {
      if (typeof inner?.at === "number") inner.at += 1;
    } else if ((code | 0x20) === 0x7b) {
      // { and [ are 0x7b and 0x5b, } and ] are 0x7d and 0x5d.
      inner = code === 0x7b ? { names: new Set(), at: "" } : { names: undefined, at: 0 };
      frames.push(inner);
    } else if ((code | 0x20) === 0x7d) {
      frames.pop();
      inner = frames.at(-1);
    }
  }
  return undefined;
}

/**
 * The index of the quote that ends the string beginning at `start`; -1 if there is none. Uses `indexOf`, because snapshots
 * hold strings of many megabytes.
 */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

function pathOf(frames: readonly Frame[]): string {
  return frames.map(({ at }) => (typeof at === "string" ? shownName(at) : String(at))).join(".");
}
