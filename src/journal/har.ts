/** Writes entries as an HTTP Archive (HAR 1.2) for browsers and other viewers. Times are on the world's clock. */

import { InputError } from "../base/input.ts";
import { fromBase64, utf8Length } from "../base/text.ts";
import { VERSION } from "../base/version.ts";
import type { JournalEntry, ShownResponse } from "./entry.ts";
import type { ShownRecord } from "./record.ts";

/** In process there is no URL, and no host has the domain `invalid` (RFC 6761). */
const NO_URL = "http://adsim.invalid";

/** One JSON document, with a line break at its end. @throws InputError for a base that is no http or https URL. */
export function harOf(shown: readonly ShownRecord[], base: string | URL = NO_URL): string {
  const href = URL.canParse(base) ? new URL(base).href : "";
  if (!/^https?:[^?#]+$/.test(href))
    throw new InputError("baseUrl", 'must be an http or https URL, as "http://127.0.0.1:4010"');
  const baseUrl = href.replace(/\/$/, "");
  const entries = shown.map((one) => entryOf(one, baseUrl));
  // Firefox needs a page for every entry.
  const page = { id: "page_1", title: baseUrl, pageTimings: {} };
  const pages = entries.slice(0, 1).map(({ startedDateTime }) => ({ startedDateTime, ...page }));
  const creator = { name: "adsim", version: VERSION };
  const log = { version: "1.2", creator, pages, entries, _adsim: { baseUrl } };
  return `${JSON.stringify({ log })}\n`;
}

function entryOf({ entry, record }: ShownRecord, baseUrl: string) {
  const { request, response, ...rest } = entry;
  // Only a fault rule delays an answer. Chrome takes 0 ms for pending, and shows a microsecond as 0.
  const wait = rest.fault?.delayMs || 0.001;
  return {
    pageref: "page_1",
    startedDateTime: rest.at,
    time: wait,
    request: requestOf(request, baseUrl),
    response: responseOf(response),
    cache: {},
    timings: { send: 0, wait, receive: 0 },
    _resourceType: "fetch",
    _adsim: { ...rest, world: record.world },
  };
}

function requestOf(request: JournalEntry["request"], baseUrl: string): object {
  const { method, path, query, body: text, bodyBase64: _base64 } = request;
  const { mimeType, bodySize, ...shared } = sharedOf(request);
  return {
    ...{ method, url: baseUrl + inUrl(query === "" ? path : `${path}?${query}`), bodySize },
    queryString: pairsIn(new URLSearchParams(query)),
    // HAR has an encoding only for the content of a response.
    ...(bodySize > 0 && { postData: { mimeType, params: [], text, _base64 } }),
    ...shared,
  };
}

function responseOf(response: ShownResponse): object {
  const { status, headers, body, bodyBase64 } = response;
  const { mimeType, bodySize, ...shared } = sharedOf(response);
  const encoding = bodyBase64 === undefined ? undefined : "base64";
  return {
    ...{ status, statusText: "", redirectURL: headers.location ?? "", bodySize },
    content: { size: bodySize, mimeType, text: bodyBase64 ?? body, encoding },
    ...shared,
    _error: status === 0 ? "net::ERR_FAILED" : undefined,
  };
}

/** What a request and a response both have. */
function sharedOf({ headers, body, bodyBase64 }: Omit<ShownResponse, "status">) {
  const bodySize = bodyBase64 === undefined ? utf8Length(body) : fromBase64(bodyBase64).length;
  return {
    ...{ httpVersion: "HTTP/1.1", cookies: [], headersSize: -1, bodySize },
    headers: pairsIn(Object.entries(headers)),
    mimeType: headers["content-type"] ?? "",
  };
}

function pairsIn(list: Iterable<[string, string]>): object[] {
  return Array.from(list, ([name, value]) => ({ name, value }));
}

/** Percent-encodes characters that a URL can't have, as browsers do. Keeps existing encoding as it was sent. */
export function inUrl(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^!$-;=?-\]_a-z~]+/g, (characters) => encodeURIComponent(characters));
}
