/**
 * The ids of one world as the same world in another format has them. A request with translated ids asks for the same thing.
 */

import type { IdCodec } from "../base/id-codec.ts";
import { jsonObjectIn } from "../base/parse-json.ts";
import { utf8Text } from "../base/text.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { RequestParts } from "../spec/messages.ts";
import { createIds, type Ids } from "../world/publishers/ids.ts";
import type { SameId } from "./answer-differences.ts";

/** Returns the other world's id, or the text itself if it is no id. */
export type IdTranslator = (text: string) => string;

interface TwoFormats {
  readonly seed: string;
  readonly from: Assumptions;
  readonly to: Assumptions;
}

/** Translates ids by what they stand for. */
export function idTranslator(formats: TwoFormats): IdTranslator {
  const codecs = codecPairs(formats, sentKinds);
  return (text) => {
    for (const [left, right] of codecs) {
      const parts = left.decode(text);
      if (parts !== undefined) return right.encode(parts.publisher, parts.serial);
    }
    return text;
  };
}

/** Tells whether two texts are one id in the two formats. */
export function sameIdIn(formats: TwoFormats): SameId {
  const codecs = codecPairs(formats, allKinds);
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
  { seed, from, to }: TwoFormats,
  kinds: readonly (keyof Ids)[],
): (readonly [IdCodec, IdCodec])[] {
  const [left, right] = [createIds(seed, from), createIds(seed, to)];
  return kinds.map((kind) => [left[kind], right[kind]] as const);
}

/** The parameters that are ids of the service. */
const idParameters = ["publisher_id", "surface", "impression_id"] as const;

/** The request with its ids translated. A query or body without one stays as it was written. */
export function translatedRequest(request: RequestParts, idOf: IdTranslator): RequestParts {
  const text = utf8Text(request.body) ?? "";
  const body = translatedJson(text, idOf) ?? translatedPairs(text, idOf);
  return {
    ...request,
    query: translatedPairs(request.query, idOf),
    body: body === text ? request.body : body,
  };
}

/** Undefined if it isn't a JSON object. */
function translatedJson(text: string, idOf: IdTranslator): string | undefined {
  const members = jsonObjectIn(text);
  if (members === undefined) return undefined;
  const changed = idParameters.flatMap((name) => {
    const id = members[name];
    return typeof id === "string" && idOf(id) !== id ? [[name, idOf(id)]] : [];
  });
  return changed.length === 0
    ? text
    : JSON.stringify({ ...members, ...Object.fromEntries(changed) });
}

/** A query or a form. */
function translatedPairs(text: string, idOf: IdTranslator): string {
  const pairs = new URLSearchParams(text);
  let isChanged = false;
  for (const name of idParameters) {
    const id = pairs.get(name);
    if (id === null || idOf(id) === id) continue;
    pairs.set(name, idOf(id));
    isChanged = true;
  }
  return isChanged ? pairs.toString() : text;
}
