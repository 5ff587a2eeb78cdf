/** The member names of a JSON object's text, which `JSON.parse` has found valid: parsing alone hides a name sent twice. */

export interface Members {
  /** How many members the outermost object has in the text. */
  readonly count: number;
  /** The first of these names that comes a second time; undefined when none does. */
  firstRepeated(names: ReadonlySet<string>): string | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

export function scanMembers(text: string): Members {
  let count = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON && depth === 1) count += 1;
    // { and [ are 0x7b and 0x5b, } and ] are 0x7d and 0x5d.
    else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return { count, firstRepeated: (names) => firstRepeated(text, names) };
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}

function firstRepeated(text: string, names: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  let name = "";
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      name = JSON.parse(text.slice(at, end + 1));
      at = end;
    } else if (code === COLON && depth === 1) {
      if (seen.has(name)) return name;
      if (names.has(name)) seen.add(name);
    } else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return undefined;
}
