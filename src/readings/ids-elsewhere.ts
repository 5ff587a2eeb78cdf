/**
 * The ids of one world as another has them: the same publishers, surfaces and events, perhaps in another format. A request
 * with translated ids asks the other world for the same thing.
 */

import type { IdCodec } from "../base/id-codec.ts";
import { jsonObjectIn } from "../base/parse-json.ts";
import { percentDecoded, utf8Text } from "../base/text.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { WorldChange } from "../simulator/world-change.ts";
import { type Choice, catalogue } from "../spec/assumptions/catalogue.ts";
import { defaultAssumptions } from "../spec/assumptions/resolve.ts";
import type { RequestParts } from "../spec/messages.ts";
import { createIds, type Ids } from "../world/publishers/ids.ts";
import type { SameId } from "./answer-differences.ts";

/** Returns the other world's id, or the text itself if it is no id. */
export type IdTranslator = (text: string) => string;

/** The two worlds. The format may have been another one at times. */
export interface TwoWorlds {
  readonly seed: string;
  /** All formats in which clients of the one world may have learned ids. */
  readonly from: ReadonlySet<Choice<"ids.format">>;
  readonly to: Choice<"ids.format">;
}

/** Translates ids by what they stand for. */
export function idTranslator(worlds: TwoWorlds): IdTranslator {
  const codecs = codecPairs(worlds, sentKinds);
  return (text) => {
    for (const [left, right] of codecs) {
      const parts = left.decode(text);
      if (parts !== undefined) return right.encode(parts.publisher, parts.serial);
    }
    return text;
  };
}

/** Tells whether two texts are one id in the formats of two worlds. */
export function sameIdIn(worlds: TwoWorlds): SameId {
  const codecs = codecPairs(worlds, allKinds);
  return (left, right) =>
    codecs.some(([one, other]) => {
      const parts = one.decode(left);
      return parts !== undefined && other.encode(parts.publisher, parts.serial) === right;
    });
}

/** The kinds of ids that clients send. */
const sentKinds = ["publisher", "surface", "impression"] as const satisfies readonly (keyof Ids)[];
const allKinds = [
  ...sentKinds,
  "click",
  "laterClick",
  "payout",
  "transaction",
] as const satisfies readonly (keyof Ids)[];

function codecPairs(
  { seed, from, to }: TwoWorlds,
  kinds: readonly (keyof Ids)[],
): (readonly [IdCodec, IdCodec])[] {
  const right = idsIn(seed, to);
  return [...from].flatMap((format) => {
    const left = idsIn(seed, format);
    return kinds.map((kind) => [left[kind], right[kind]] as const);
  });
}

function idsIn(seed: string, format: Choice<"ids.format">): Ids {
  return createIds(seed, { ...defaultAssumptions, "ids.format": format });
}

/** Translates an impression's id to that of one that can't exist, of the same publisher and in the same format. */
export function missingImpressionIn(seed: string): IdTranslator {
  const formats = Object.keys(catalogue["ids.format"].choices) as Choice<"ids.format">[];
  const codecs = formats.map((format) => idsIn(seed, format).impression);
  return (like) => {
    for (const codec of codecs) {
      const parts = codec.decode(like);
      if (parts !== undefined) return codec.encode(parts.publisher, LAST_SERIAL);
    }
    return like;
  };
}

const LAST_SERIAL = 0xffff_ffff;

/** The parameters that are ids of the service. */
const idParameters: ReadonlySet<string> = new Set(["publisher_id", "surface", "impression_id"]);

/** The request with its ids translated. Everything else stays as it was written. */
export function translatedRequest(request: RequestParts, idOf: IdTranslator): RequestParts {
  const query = translatedPairs(request.query, idOf);
  const text = utf8Text(request.body);
  const body = text === undefined ? request.body : translatedBody(text, idOf);
  return { ...request, query, body: body === text ? request.body : body };
}

function translatedBody(text: string, idOf: IdTranslator): string {
  const members = jsonObjectIn(text);
  if (members === undefined) return translatedPairs(text, idOf);
  const changed = Object.entries(members).flatMap(([name, value]) => {
    const isId = idParameters.has(name) && typeof value === "string";
    const other = isId ? idOf(value) : value;
    return other === value ? [] : [[name, value, other] as const];
  });
  return changed.reduce((body, [name, value, other]) => {
    const before = `"${name}":${JSON.stringify(value)}`;
    const after = `"${name}":${JSON.stringify(other)}`;
    const spaced = before.replace('":', '": ');
    const written = [before, spaced].find((one) => body.includes(one));
    // Written in another way, with more space or with escapes.
    if (written === undefined) return JSON.stringify({ ...jsonObjectIn(body), [name]: other });
    return body.replace(written, () => after);
  }, text);
}

/** A query or a form. */
function translatedPairs(text: string, idOf: IdTranslator): string {
  if (!text.includes("=")) return text;
  return text
    .split("&")
    .map((pair) => {
      const equals = pair.indexOf("=");
      if (!idParameters.has(pair.slice(0, equals))) return pair;
      const value = percentDecoded(pair.slice(equals + 1).replaceAll("+", " ")) ?? "";
      const other = idOf(value);
      return other === value ? pair : `${pair.slice(0, equals + 1)}${encodeURIComponent(other)}`;
    })
    .join("&");
}

/** The ids that the request has as parameters. */
export function idsSentIn(request: RequestParts): readonly string[] {
  const ids: string[] = [];
  translatedRequest(request, (text) => {
    ids.push(text);
    return text;
  });
  return ids;
}

/** The rule about the same publishers and surfaces. */
export function translatedRule(rule: FaultRule, idOf: IdTranslator): FaultRule {
  const { match } = rule;
  if (match?.publisher === undefined && match?.surface === undefined) return rule;
  const all = (ids: string | readonly string[] | undefined): string[] | string | undefined =>
    typeof ids === "string" ? idOf(ids) : ids?.map(idOf);
  const ids = { publisher: all(match.publisher), surface: all(match.surface) };
  return { ...rule, match: { ...match, ...ids } };
}

/** The change of the same publisher, surface or rule. */
export function translatedChange(change: WorldChange, idOf: IdTranslator): WorldChange {
  switch (change.kind) {
    case "rotate-key":
      return { ...change, publisher: idOf(change.publisher) };
    case "set-surface":
      return { ...change, publisher: idOf(change.publisher), surface: idOf(change.surface) };
    case "fault": {
      const { rule } = change;
      return typeof rule === "function" ? change : { ...change, rule: translatedRule(rule, idOf) };
    }
    default:
      return change;
  }
}
