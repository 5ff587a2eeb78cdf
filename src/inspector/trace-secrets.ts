/**
 * Finds what may be secret in the texts of a request, in any spelling: keys, tokens and passwords of any service. Keys and ids
 * of the world itself are no secrets: they follow from its seed.
 */

import { percentDecoded, utf8Length } from "../base/text.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { operations } from "../spec/operations.ts";
import { createIds, type Ids } from "../world/publishers/ids.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";

/** Replaces secrets. Equal secrets get equal stand-ins, so that duplicates stay duplicates. */
export interface Hider {
  readonly ids: Ids;
  /** Whether a key of the world shows only when the text is decoded. */
  hasHiddenKey(text: string, decoded: string): boolean;
  /** The value of something that the API reads: only what looks like a secret is replaced. */
  value(text: string): string;
  /** Anything else: every character is replaced by stars of the same length in bytes. */
  whole(text: string): string;
  /** A name: replaced unless it looks like one. */
  name(text: string): string;
  method(text: string): string;
  /** A query, or a body in the form of a query. `other`: what to do with names that aren't the API's. */
  pairs(text: string, other: "name" | "whole"): string;
  path(text: string): string;
  header(name: string, text: string): string;
  headerName(text: string): string;
  /** A text that can't hold references, such as a fault rule's: keys of the world are replaced, too. */
  foreign(text: string): string;
  /** Every character is replaced by stars, in keys of the world as well. */
  blank(text: string): string;
  /** The same stand-in for the same text. */
  standIn(text: string): string;
}

const parameters: ReadonlySet<string> = new Set(
  Object.values(operations).flatMap((operation) => Object.keys(operation.parameters)),
);

export function isParameter(name: string): boolean {
  return parameters.has(name);
}

/** Headers that say how a message is sent, and nothing about who sends it. */
const plainHeaders =
  /^(?:accept(?:-charset|-encoding|-language)?|access-control-request-(?:headers|method)|cache-control|connection|content-(?:encoding|length|type)|date|expect|host|keep-alive|origin|pragma|priority|sec-ch-ua(?:-arch|-bitness|-form-factors|-full-version(?:-list)?|-mobile|-model|-platform(?:-version)?)?|sec-fetch-(?:dest|mode|site|user)|te|transfer-encoding|user-agent)$/;
/** Anything else as the host, such as a password before an @, becomes stars. */
const HOST = /^[\w.:[\]-]*$/;
const METHOD = /^(?:get|head|post|put|patch|delete|options|trace|connect)$/i;

const schemes = /^(?:basic|bearer|token|digest|api-?key|key|oauth|jwt|negotiate|hawk)$/i;
/** Words that programs send by mistake in place of a key. */
const mistakes = /^(?:undefined|null|none|nan|\[object|object\])$/i;

/** What keys, tokens and passwords look like. A run of characters is tried at its beginning only, or long texts would take long. */
const looks: RegExp = new RegExp(
  [
    "-----BEGIN[^]*",
    "(?<!\\w)eyJ[\\w-]{6,}(?:\\.[\\w-]+)*",
    "(?<!\\w)(?:AKIA|ASIA|AIza)[\\w-]{12,}",
    '(?<![A-Za-z])(?:[spr]k|gh[a-z]|github_pat|glpat|xox[a-z]|npm|hf|pat|shp[a-z]{2}|SG|whsec|api|secret|token|pass(?:word|wd)?|pwd|key)[-_.=:][^\\s"&,;]{6,}',
    '(?<!\\w)(?:[Bb]asic|[Bb]earer|[Tt]oken)[ :]+[^\\s"&,;]{4,}',
    "(?<=:\\/\\/)[^/\\s:@]+:[^/\\s@]+(?=@)",
    "(?<!\\w)[0-9a-fA-F]{32,}(?!\\w)",
    "(?<![\\w+/-])(?=[\\w+/-]*[0-9])(?=[\\w+/-]*[a-z])(?=[\\w+/-]*[A-Z])[\\w+/-]{20,}={0,2}",
  ].join("|"),
  "g",
);
const PLAIN_NAME = /^[A-Za-z_][\w.[\]-]{0,39}$/;
const OWN_KEY = /(key_[0-9a-z]{13})/;
/** What stays of a hidden text: spaces, what would end a string in JSON, and bytes that are no ASCII. */
const HIDDEN = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])|[^\0- "\\\x7f-\xff\p{Cs}]/gu;

/** The text at odd indexes is a key of the world. */
export function splitAtKeys(text: string, { apiKey }: Ids): readonly string[] {
  if (!text.includes("key_")) return [text];
  const parts: string[] = [""];
  for (const [index, part] of text.split(OWN_KEY).entries()) {
    if (index % 2 === 1 && apiKey.decode(part) !== undefined) parts.push(part, "");
    else parts.push((parts.pop() ?? "") + part);
  }
  return parts;
}

function createHider(ids: Ids): Hider {
  const standIns = new Map<string, string>();
  const values = new Map<string, string>();

  function isOwn(text: string): boolean {
    const codecs = [ids.apiKey, ids.publisher, ids.surface, ids.impression, ids.click];
    return codecs.some((codec) => codec.decode(text) !== undefined);
  }
  function unlessOwn(secret: string): string {
    return isOwn(secret) ? secret : standIn(secret);
  }
  function standIn(secret: string): string {
    const known = standIns.get(secret) ?? `hidden-${standIns.size + 1}`;
    standIns.set(secret, known);
    return known.padEnd(secret.length, "*");
  }
  function hasHiddenKey(text: string, decoded: string): boolean {
    return splitAtKeys(decoded, ids).length > splitAtKeys(text, ids).length;
  }
  function apartFromKeys(text: string, change: (part: string) => string): string {
    const parts = splitAtKeys(text, ids);
    return parts.map((part, index) => (index % 2 === 1 ? part : change(part))).join("");
  }
  function value(text: string): string {
    if (text.length < 6 || isOwn(text)) return text;
    const known = values.get(text);
    if (known !== undefined) return known;
    const hidden = apartFromKeys(text, (part) => part.replaceAll(looks, unlessOwn));
    if (values.size < MAX_VALUES) values.set(text, hidden);
    return hidden;
  }
  function foreign(text: string): string {
    const unlessId = (secret: string): string =>
      ids.apiKey.decode(secret) === undefined ? unlessOwn(secret) : standIn(secret);
    return text.replaceAll(looks, unlessId);
  }
  const blank = (text: string): string =>
    text.replaceAll(HIDDEN, (one) => "*".repeat(utf8Length(one)));
  const whole = (text: string): string => apartFromKeys(text, blank);
  const name = (text: string): string =>
    PLAIN_NAME.test(text) && value(text) === text ? text : whole(text);

  /** `change` gets the decoded text. What can't be decoded stays undecodable. */
  function encoded(text: string, change: (decoded: string) => string): string {
    const decoded = percentDecoded(text.replaceAll("+", " "));
    if (decoded === undefined) return text.replaceAll(/[^%&=/?+]/g, "*");
    const changed = change(decoded);
    const isSame = changed === decoded && !hasHiddenKey(text, decoded);
    return isSame ? text : encodeURIComponent(changed.toWellFormed());
  }
  function pair(text: string, other: (text: string) => string): string {
    const equals = text.indexOf("=");
    const decodedName = percentDecoded(equals === -1 ? text : text.slice(0, equals)) ?? "";
    if (parameters.has(decodedName)) {
      if (equals === -1) return text;
      return text.slice(0, equals + 1) + encoded(text.slice(equals + 1), value);
    }
    // A word alone may be a password.
    if (equals === -1) return encoded(text, whole);
    return `${encoded(text.slice(0, equals), other)}=${encoded(text.slice(equals + 1), whole)}`;
  }
  function credentials(text: string): string {
    const isPlain = (word: string): boolean => schemes.test(word) || mistakes.test(word);
    return text.replaceAll(/[^\s,]+/g, (word) => {
      if (isPlain(word)) return word;
      return splitAtKeys(word, ids).length > 1 ? whole(word) : unlessOwn(word);
    });
  }

  return {
    ids,
    hasHiddenKey,
    value,
    whole,
    name,
    method: (text) => (METHOD.test(text) ? text : blank(text)),
    pairs(text, other) {
      const hidden = other === "name" ? name : whole;
      const pairs = text.split("&").map((one) => pair(one, hidden));
      return pairs.join("&");
    },
    path: (text) =>
      text
        .split("/")
        .map((part) => encoded(part, value))
        .join("/"),
    header(sent, text) {
      const lower = sent.toLowerCase();
      if (lower === "authorization") return credentials(text);
      if (lower === "host" && !HOST.test(text)) return whole(text);
      return plainHeaders.test(lower) ? value(text) : whole(text);
    },
    headerName(text) {
      return splitAtKeys(text, ids).length > 1 ? blank(text) : name(text);
    },
    foreign,
    blank,
    standIn,
  };
}

/** One for each way of writing ids and keys: worlds of one seed share theirs. */
export type HiderOf = (world: Pick<WorldDescription, "seed" | "assumptions">) => Hider;

export function createHiders(): HiderOf {
  const hiders = new Map<string, Hider>();
  return ({ seed, assumptions }) => {
    const inForce = resolveAssumptions(assumptions);
    const name = JSON.stringify([seed, inForce["ids.format"]]);
    const hider = hiders.get(name) ?? createHider(createIds(seed, inForce));
    hiders.set(name, hider);
    return hider;
  };
}

/** Most values repeat. */
const MAX_VALUES = 10_000;
