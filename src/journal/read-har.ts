/**
 * Reads HAR 1.2 for a replay, from adsim, whose entries have more facts in `_adsim`, or from any other tool, such as a
 * browser or a proxy.
 */

import * as v from "valibot";
import { parseInstant } from "../base/calendar.ts";
import { InputError, inField, parseInput } from "../base/input.ts";
import { fromBase64 } from "../base/text.ts";
import { isControlTarget } from "../base/world-path.ts";
import { operations } from "../spec/operations.ts";
import { detailsOf } from "./read-entry.ts";
import type { RecordedExchange, RecordedResponse, SkipReason } from "./recorded-exchange.ts";

const headers = v.array(v.looseObject({ name: v.string(), value: v.string() }));
const harSchema = v.looseObject({
  log: v.looseObject({ entries: v.array(v.unknown()) }),
});
const postData = v.looseObject({
  text: v.nullish(v.string()),
  encoding: v.nullish(v.string()),
  params: v.nullish(v.array(v.looseObject({ name: v.string(), value: v.nullish(v.string()) }))),
});
// For an empty part browsers write null, and some tools leave it out.
const entrySchema = v.looseObject({
  startedDateTime: v.nullish(v.string()),
  request: v.looseObject({
    method: v.string(),
    url: v.string(),
    headers: v.optional(headers, []),
    postData: v.nullish(postData),
  }),
  response: v.looseObject({
    status: v.number(),
    headers: v.optional(headers, []),
    content: v.nullish(
      v.looseObject({
        size: v.nullish(v.number()),
        text: v.nullish(v.string()),
        encoding: v.nullish(v.string()),
      }),
    ),
  }),
  _adsim: v.optional(v.unknown()),
});

type HarEntry = v.InferOutput<typeof entrySchema>;

/** @throws InputError that names the entry and its invalid field. */
export function harExchanges(input: unknown): readonly RecordedExchange[] {
  const { log } = parseInput(harSchema, input);
  const inEntry = <Result>(index: number, read: () => Result): Result =>
    inField(`log.entries.${index}`, read);
  const entries = log.entries.map((entry, index) =>
    inEntry(index, () => parseInput(entrySchema, entry)),
  );
  const base = baseOf(entries);
  return entries.map((entry, index) => inEntry(index, () => exchangeOf(entry, base, index)));
}

/** The base URL of the API in two parts. */
interface Base {
  readonly origin: string;
  readonly prefix: string;
}

/** The parts of a URL exactly as it was sent. `URL` would normalise it, and its mistakes are part of the recording. */
interface Target extends Base {
  readonly path: string;
  readonly query: string;
}

function targetOf(url: string): Omit<Target, "prefix"> {
  const [, origin = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/?]*)?(.*)$/is.exec(url) ?? [];
  const mark = rest.indexOf("?");
  const path = mark === -1 ? rest : rest.slice(0, mark);
  return { origin, path, query: mark === -1 ? "" : rest.slice(mark + 1) };
}

const apiPath = new RegExp(
  `^(.*?)(?:${Object.values(operations)
    .map(({ path }) => path)
    .join("|")})/?$`,
);

/** Guesses the API's base URL from a successful request to an operation's path, or else from the first to such a path. */
function baseOf(entries: readonly HarEntry[]): Base | undefined {
  const candidates = entries.flatMap((entry) => {
    const { origin, path } = targetOf(entry.request.url);
    const prefix = apiPath.exec(path)?.[1];
    return prefix === undefined || reachedNothing(entry) ? [] : [{ origin, prefix, entry }];
  });
  const successful = candidates.find(({ entry }) => entry.response.status === 200);
  return successful ?? candidates[0];
}

/** Whether an entry by adsim says that the request named no operation. */
function reachedNothing({ _adsim }: HarEntry): boolean {
  return typeof _adsim === "object" && _adsim !== null && !("operation" in _adsim);
}

function exchangeOf(entry: HarEntry, base: Base | undefined, index: number): RecordedExchange {
  const { request, response, _adsim } = entry;
  const url = targetOf(request.url);
  const isBelow = base !== undefined && url.path.startsWith(base.prefix);
  const path = isBelow ? url.path.slice(base.prefix.length) : url.path;
  const query = _adsim === undefined ? url.query.replace(/#.*$/s, "") : url.query;
  const shown: RecordedResponse = {
    status: response.status,
    headers: byName(response.headers),
    body: bodyOf(entry),
  };
  const recorded = {
    place: `entry ${index + 1}`,
    request: {
      method: request.method,
      path,
      query,
      headers: byName(request.headers),
      body: sentBody(entry),
    },
  };
  if (_adsim !== undefined) return { ...recorded, ...detailsOf(_adsim, path, shown) };
  const isHere = isBelow && url.origin === base.origin;
  return {
    ...recorded,
    sequence: undefined,
    atMs: recordedInstant(entry.startedDateTime ?? ""),
    publisher: undefined,
    response: shown,
    skip: skipOf(isHere, path, response.status),
    world: undefined,
  };
}

/** The time in milliseconds since 1970. Many tools write microseconds or nanoseconds. Undefined if it isn't an instant. */
export function recordedInstant(text: string): number | undefined {
  return parseInstant(text.replace(/(\.\d{3})\d+/, "$1"));
}

function skipOf(isHere: boolean, path: string, status: number): SkipReason | undefined {
  if (isHere && isControlTarget(path)) return "control";
  if (!isHere || !/^\/v1(\/|$)/.test(path)) return "not-the-api";
  return status === 0 ? "no-response-recorded" : undefined;
}

/** Header fields by lower-case name. Skips the pseudo-headers of HTTP/2, which begin with a colon. */
function byName(list: v.InferOutput<typeof headers>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, value } of list) {
    const key = name.toLowerCase();
    if (key.startsWith(":") || key === "") continue;
    const before = Object.hasOwn(found, key) ? found[key] : undefined;
    found[key] = before === undefined ? value : `${before}, ${value}`;
  }
  return found;
}

function sentBody({ request }: HarEntry): string | Uint8Array {
  const { text, encoding, params } = request.postData ?? {};
  if (text !== undefined && text !== null) return decoded(text, encoding, "request.postData.text");
  // A browser may record a form as its parameters.
  const pairs = (params ?? []).map(({ name, value }): [string, string] => [name, value ?? ""]);
  return new URLSearchParams(pairs).toString();
}

/** Undefined if the recording leaves out the body. */
function bodyOf({ request, response }: HarEntry): string | Uint8Array | undefined {
  const { text, encoding, size } = response.content ?? {};
  if (text !== undefined && text !== null) return decoded(text, encoding, "response.content.text");
  return request.method === "HEAD" || (size ?? 0) <= 0 ? "" : undefined;
}

function decoded(
  text: string,
  encoding: string | null | undefined,
  field: string,
): string | Uint8Array {
  if (encoding !== "base64") return text;
  try {
    return fromBase64(text);
  } catch {
    throw new InputError(field, "is not base64, although its encoding says so");
  }
}
