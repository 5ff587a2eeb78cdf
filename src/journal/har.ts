/** Writes entries as an HTTP Archive (HAR 1.2) for browsers and other viewers. Times are on the world's clock. */

import { InputError } from "../base/input.ts";
import { fromBase64, utf8Length } from "../base/text.ts";
import { VERSION } from "../base/version.ts";
import type { Delivery } from "../spec/delivery.ts";
import type { JournalEntry } from "./entry.ts";
import { headerPairs, nameValues, parametersOf, reasonPhrase } from "./har-parts.ts";
import type { JournalRecord, ShownRecord } from "./record.ts";
import { REDACTED } from "./secrets.ts";

const PAGE = "page_1";

/** One JSON document, with a line break at its end. `baseUrl` must come from {@link harBaseUrl}. */
export function harOf(sources: readonly ShownRecord[], baseUrl: string): string {
  const log = {
    version: "1.2",
    creator: { name: "adsim", version: VERSION },
    // Firefox needs a page for every entry.
    pages: sources.slice(0, 1).map(({ entry }) => pageOf(entry, baseUrl)),
    entries: sources.map((source) => entryOf(source, baseUrl)),
    _adsim: { baseUrl },
  };
  return `${JSON.stringify({ log })}\n`;
}

function pageOf({ at }: JournalEntry, baseUrl: string): object {
  return { startedDateTime: at, id: PAGE, title: baseUrl, pageTimings: {} };
}

function entryOf({ entry, record }: ShownRecord, baseUrl: string): object {
  const { request: _request, response: _response, ...rest } = entry;
  const timings = timingsOf(entry, record);
  return {
    pageref: PAGE,
    startedDateTime: entry.at,
    time: timings.send + timings.wait + timings.receive,
    request: requestOf(entry, baseUrl),
    response: harResponse(entry, record),
    cache: {},
    timings,
    _resourceType: "fetch",
    _adsim: { ...rest, world: record.world },
  };
}

/** The delays by fault rules, in milliseconds. Nothing else takes time on a world's clock. */
function timingsOf(
  { fault, response }: JournalEntry,
  record: JournalRecord,
): { readonly send: number; readonly wait: number; readonly receive: number } {
  const { delivery } = record.response;
  const wait = fault?.delayMs ?? 0;
  const dripped =
    delivery?.kind === "drip"
      ? Math.round((utf8Length(response.body) * 1000) / delivery.bytesPerSecond)
      : 0;
  return { send: 0, wait, receive: wait + dripped === 0 ? A_MOMENT : dripped };
}

/** Chrome shows an entry that took no time as pending. This is so short that it shows 0 ms. */
const A_MOMENT = 0.001;

const HTTP_VERSION = "HTTP/1.1";

function requestOf({ request }: JournalEntry, baseUrl: string): object {
  const { method, path, query, headers, body, bodyBase64 } = request;
  const mimeType = headers["content-type"] ?? "";
  const params = /^application\/x-www-form-urlencoded/i.test(mimeType) ? parametersOf(body) : [];
  const hasBody = body !== "" || bodyBase64 !== undefined;
  return {
    method,
    url: baseUrl + inUrl(path) + (query === "" ? "" : `?${inUrl(query)}`),
    httpVersion: HTTP_VERSION,
    cookies: headers.cookie === REDACTED ? [] : nameValues(headers.cookie ?? "", ";"),
    headers: headerPairs(headers),
    queryString: parametersOf(query),
    ...(hasBody && { postData: { mimeType, params, text: body, ...binary(bodyBase64) } }),
    headersSize: -1,
    bodySize: sizeOf({ body, bodyBase64 }),
  };
}

/** HAR has an encoding only for the content of a response, so a request needs a member of our own. */
function binary(bodyBase64: string | undefined): object {
  return bodyBase64 === undefined ? {} : { _base64: bodyBase64 };
}

/** Percent-encodes characters that a URL can't have, as browsers do. Keeps existing encoding as it was sent. */
export function inUrl(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^!$-;=?-\]_a-z~]+/g, (characters) => encodeURIComponent(characters));
}

function harResponse({ response }: JournalEntry, record: JournalRecord): object {
  const { status, headers, body, bodyBase64 } = response;
  const { delivery } = record.response;
  const error = delivery && networkErrors[delivery.kind];
  if (status === 0) return { ...nothing, _error: error ?? "net::ERR_ABORTED" };
  const size = sizeOf({ body, bodyBase64 });
  const encoded =
    bodyBase64 === undefined ? { text: body } : { text: bodyBase64, encoding: "base64" };
  return {
    status,
    statusText: reasonPhrase(status),
    httpVersion: HTTP_VERSION,
    cookies: nameValues((headers["set-cookie"] ?? "").split(";")[0] ?? "", ";"),
    headers: headerPairs(headers),
    content: { size, mimeType: headers["content-type"] ?? "x-unknown", ...encoded },
    redirectURL: headers.location ?? "",
    headersSize: -1,
    bodySize: size,
    ...(error !== undefined && { _error: error }),
  };
}

/** No response at all, as Chrome writes it. */
const nothing = {
  status: 0,
  statusText: "",
  httpVersion: "",
  cookies: [],
  headers: [],
  content: { size: 0, mimeType: "x-unknown" },
  redirectURL: "",
  headersSize: -1,
  bodySize: -1,
} as const;

/** Chrome's names for the network errors. */
const networkErrors: Readonly<Record<Delivery["kind"], string | undefined>> = {
  whole: undefined,
  overtaken: undefined,
  bytes: undefined,
  cut: "net::ERR_CONTENT_LENGTH_MISMATCH",
  drip: undefined,
  noise: "net::ERR_INVALID_HTTP_RESPONSE",
  close: "net::ERR_EMPTY_RESPONSE",
  reset: "net::ERR_CONNECTION_RESET",
  silence: "net::ERR_TIMED_OUT",
};

function sizeOf(of: { readonly body: string; readonly bodyBase64: string | undefined }): number {
  const { body, bodyBase64 } = of;
  return bodyBase64 === undefined ? utf8Length(body) : fromBase64(bodyBase64).length;
}

/** A base URL without a slash at its end. @throws InputError for anything but an http or https URL. */
export function harBaseUrl(given: string | URL | undefined): string {
  if (given === undefined) return NO_BASE_URL;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    throw new InputError(
      "baseUrl",
      'must be an http or https URL without query and fragment, such as "http://127.0.0.1:4010"',
    );
  }
  return url.href.replace(/\/$/, "");
}

/** In process there is no URL. The top-level domain `invalid` can't exist (RFC 6761). */
const NO_BASE_URL = "http://adsim.invalid";
