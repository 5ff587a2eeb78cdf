/**
 * Reads a recording from a file: a journal as NDJSON or JSON, or a HAR by adsim, a browser's developer tools, Playwright or a
 * proxy. Recognises the format by the content. What went elsewhere is left out of a HAR before anything is checked: a browser
 * records all that a page loads.
 */

import { InputError, isPlainObject } from "../base/input.ts";
import { jsonIn, memberOf, parseJson } from "../base/parse-json.ts";
import { percentDecoded } from "../base/text.ts";
import { contentTypes, pairsOf } from "../spec/build-request.ts";
import { operations } from "../spec/operations.ts";
import {
  operationAt,
  type RecordedEntry,
  type Recording,
  recordedEntry,
} from "./recorded-entry.ts";

/** Reads a recording from the lines of its file. @throws InputError that names the place. */
export function readRecording(lines: readonly string[]): Recording {
  const numbered = lines
    .map((text, index) => ({ text, place: `line ${index + 1}` }))
    .filter(({ text }) => text.trim() !== "");
  const [first] = numbered;
  if (first === undefined) throw new InputError("", "is empty: it has no request");
  if (memberOf(jsonIn(first.text), "request") !== undefined)
    return journal(numbered.map(({ text, place }) => recordedEntry(parse(text, place), place)));
  const value = parse(lines.join("\n"), "it");
  const log = memberOf(value, "log");
  if (log !== undefined) {
    const entries = harEntries(log);
    const byAdsim = entries.some(({ sequence }) => sequence !== undefined);
    return inOrder({ form: "HAR", byAdsim, entries });
  }
  // journal.entries() as JSON, or what GET /_sim/journal answers.
  const list = Array.isArray(value) ? value : memberOf(value, "entries");
  if (Array.isArray(list))
    return journal(list.map((entry, index) => recordedEntry(entry, `entry ${index + 1}`)));
  throw new InputError("", "is JSON, but neither a journal's entries nor a HAR");
}

function parse(text: string, what: string): unknown {
  const fail = (mistake: string): InputError =>
    new InputError("", `is damaged, or neither NDJSON nor HAR: ${what} ${mistake}`);
  return parseJson(text, fail);
}

function journal(entries: readonly RecordedEntry[]): Recording {
  return inOrder({ form: "journal", byAdsim: true, entries });
}

/** In the order in which the world answered. @throws InputError if two requests have the same number. */
function inOrder(recording: Recording): Recording {
  if (recording.entries.length === 0) throw new InputError("", "has no request");
  const entries = recording.entries.toSorted(
    (one, two) => (one.sequence ?? 0) - (two.sequence ?? 0),
  );
  const again = entries.find(
    ({ sequence }, index) => sequence !== undefined && sequence === entries[index - 1]?.sequence,
  );
  if (again === undefined) return { ...recording, entries };
  throw new InputError(again.place, `has request ${again.sequence} again. Give one recording only`);
}

/** @throws InputError that names the entry and its invalid field. */
function harEntries(log: unknown): readonly RecordedEntry[] {
  const list = memberOf(log, "entries");
  if (!Array.isArray(list)) throw new InputError("log.entries", "must be a list");
  const entries = list.map(partsOf);
  const own = memberOf(memberOf(log, "_adsim"), "baseUrl");
  const isOwn = typeof own === "string" && entries.some(({ address }) => address.startsWith(own));
  const base = isOwn ? own : guessedBase(entries);
  return entries.map((parts, index) => entryOf(parts, base, `entry ${index + 1}`));
}

const paths = Object.values(operations).map(({ path }) => path);
const operationAddress = new RegExp(`^(.*?)(?:${paths.join("|")})/?$`);

type Parts = ReturnType<typeof partsOf>;

/** An entry's parts, not checked yet. */
function partsOf(entry: unknown) {
  const [request, response] = [memberOf(entry, "request"), memberOf(entry, "response")];
  const url = String(memberOf(request, "url") ?? "");
  const [, host = "", path = "", query = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  // The host in lower case and without the usual port; the rest as it was sent.
  const address = (URL.canParse(host) ? new URL(host).origin : host) + path;
  return {
    ...{ entry, request, response, address, query },
    base: operationAddress.exec(address)?.[1],
    // Without an answer Playwright writes -1, and other tools an empty text or no response.
    status: Number(memberOf(response, "status") ?? 0),
  };
}

/** What precedes the paths of operations in most successful requests, or in the first request to one. */
function guessedBase(entries: readonly Parts[]): string | undefined {
  const successes = (base: string): number =>
    entries.filter((one) => one.base === base && one.status === 200).length;
  const bases = new Set(entries.flatMap(({ base }) => base ?? []));
  return [...bases].sort((one, other) => successes(other) - successes(one))[0];
}

function entryOf(parts: Parts, base: string | undefined, place: string): RecordedEntry {
  const { entry, address, status } = parts;
  const path = base !== undefined && address.startsWith(base) ? address.slice(base.length) : "";
  const shown = shownOf(parts, path);
  const details = memberOf(entry, "_adsim");
  if (isPlainObject(details)) return recordedEntry({ ...details, ...shown }, place);
  // Tools may write it in lower case.
  const method = String(shown.request.method).toUpperCase();
  if (!/^\/(v1|_sim)(\/|$)/.test(path)) {
    const named = { request: { method, path: address }, response: { status: 0 } };
    const leftOut = parts.base === undefined ? "not-the-api" : "other-host";
    return { ...recordedEntry(named, place), leftOut };
  }
  const at = status > 0 ? (memberOf(entry, "startedDateTime") ?? undefined) : undefined;
  const read = recordedEntry({ at, ...shown }, place, "startedDateTime");
  // A service may accept a slash at the end of a path.
  const operation = operationAt(method, status === 200 ? path.replace(/\/$/, "") : path);
  return { ...read, operation, request: { ...read.request, method } };
}

/** Request and response in the form of a journal's entry, not checked yet. */
function shownOf({ request, response, query, status }: Parts, path: string) {
  const sent = memberOf(request, "postData");
  const form = memberOf(sent, "text") ? "" : encoded(memberOf(sent, "params"));
  const typed = form === "" ? {} : { "content-type": contentTypes.form };
  const content = memberOf(response, "content");
  // Tools write -1, or no size, for what they don't know.
  const isEmpty = memberOf(request, "method") === "HEAD" || memberOf(content, "size") === 0;
  return {
    request: {
      ...{ method: memberOf(request, "method"), path },
      query: query || encoded(memberOf(request, "queryString")),
      headers: { ...typed, ...headersIn(request) },
      ...(form === "" ? bodyIn(sent, "") : { body: form }),
    },
    response: {
      status: Number.isNaN(status) ? memberOf(response, "status") : status,
      headers: headersIn(response),
      ...bodyIn(content, isEmpty ? "" : undefined),
    },
  };
}

/** By lower-case name, without those that have no value, and the pseudo-headers of HTTP/2, which begin with a colon. */
function headersIn(message: unknown): Readonly<Record<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const [name, value] of pairsIn(memberOf(message, "headers"))) {
    const key = name.toLowerCase();
    if (/^(:|$)/.test(key) || value === undefined || value === null) continue;
    const text = isPlainObject(value) ? value : String(value);
    found.set(key, found.has(key) ? `${found.get(key)}, ${text}` : text);
  }
  return Object.fromEntries(found);
}

function pairsIn(list: unknown): readonly (readonly [name: string, value: unknown])[] {
  const pairs = Array.isArray(list) ? list : [];
  return pairs.map((pair) => [String(memberOf(pair, "name")), memberOf(pair, "value")]);
}

/** A query or a form. Chrome lists values as they were sent, other tools decoded. */
function encoded(list: unknown): string {
  const decoded = (text: string): string =>
    (/%[\da-f]{2}/i.test(text) && percentDecoded(text.replaceAll("+", " "))) || text;
  return pairsOf(pairsIn(list).map(([name, value]) => [name, decoded(String(value ?? ""))]));
}

/** Undefined if it wasn't recorded. */
function bodyIn(holder: unknown, otherwise: string | undefined): object {
  const body = memberOf(holder, "text") ?? otherwise;
  if (memberOf(holder, "encoding") === "base64") return { bodyBase64: body };
  return { body, bodyBase64: memberOf(holder, "_base64") };
}
