/**
 * Finds what may be secret in the texts of a request, in any spelling: keys, tokens and passwords of any service. Keys and ids
 * of the world itself are no secrets: they follow from its seed.
 */

import { percentDecoded, utf8Length } from "../base/text.ts";
import { withoutSecrets } from "../journal/secrets.ts";
import { operations } from "../spec/operations.ts";
import type { Ids } from "../world/publishers/ids.ts";

/** Replaces secrets. Equal secrets get equal stand-ins, so that duplicates stay duplicates. */
export interface Hider {
  /** Whether a key of the world shows only when the text is decoded. */
  hasHiddenKey(text: string, decoded: string): boolean;
  /** The value of something that the API reads: only what looks like a secret is replaced. */
  value(text: string): string;
  /** Anything else: every character is replaced by stars of the same length in bytes. */
  whole(text: string): string;
  /** A name: replaced unless it looks like one. */
  name(text: string): string;
  /** A query, or a body in the form of a query. */
  pairs(text: string): string;
  path(text: string): string;
  header(name: string, text: string): string;
}

const parameters: ReadonlySet<string> = new Set(
  Object.values(operations).flatMap((operation) => Object.keys(operation.parameters)),
);

export function isParameter(name: string): boolean {
  return parameters.has(name);
}

/** Headers that say how a message is sent, and nothing about who sends it. */
const plainHeaders =
  /^(?:accept(?:-\w+)?|access-control-request-[a-z-]+|cache-control|connection|content-(?:encoding|length|type)|date|expect|host|keep-alive|origin|pragma|priority|sec-(?:ch|fetch)-[a-z-]+|te|transfer-encoding|user-agent)$/;

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

export function createHider(ids: Ids): Hider {
  const standIns = new Map<string, string>();
  const values = new Map<string, string>();

  function isOwn(text: string): boolean {
    const codecs = [ids.apiKey, ids.publisher, ids.surface, ids.impression, ids.click];
    return codecs.some((codec) => codec.decode(text) !== undefined);
  }
  function standIn(secret: string): string {
    if (isOwn(secret)) return secret;
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
    const hidden = apartFromKeys(text, (part) =>
      withoutSecrets(part.replaceAll(looks, standIn), standIn),
    );
    if (values.size < MAX_VALUES) values.set(text, hidden);
    return hidden;
  }
  const whole = (text: string): string =>
    apartFromKeys(text, (part) => part.replaceAll(HIDDEN, (one) => "*".repeat(utf8Length(one))));
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
  function pair(text: string): string {
    const equals = text.indexOf("=");
    const decodedName = percentDecoded(equals === -1 ? text : text.slice(0, equals)) ?? "";
    if (parameters.has(decodedName)) {
      if (equals === -1) return text;
      return text.slice(0, equals + 1) + encoded(text.slice(equals + 1), value);
    }
    // A word alone may be a password.
    if (equals === -1) return /^[a-z_]*$/.test(text) ? name(text) : encoded(text, whole);
    return `${encoded(text.slice(0, equals), name)}=${encoded(text.slice(equals + 1), whole)}`;
  }
  function credentials(text: string): string {
    const isPlain = (word: string): boolean => schemes.test(word) || mistakes.test(word);
    return text.replaceAll(/[^\s,]+/g, (word) => {
      if (isPlain(word)) return word;
      return splitAtKeys(word, ids).length > 1 ? whole(word) : standIn(word);
    });
  }

  return {
    hasHiddenKey,
    value,
    whole,
    name,
    pairs: (text) => text.split("&").map(pair).join("&"),
    path: (text) =>
      text
        .split("/")
        .map((part) => encoded(part, value))
        .join("/"),
    header(sent, text) {
      const lower = sent.toLowerCase();
      if (lower === "authorization") return credentials(text);
      return plainHeaders.test(lower) ? value(text) : whole(text);
    },
  };
}

/** Most values repeat. */
const MAX_VALUES = 10_000;
