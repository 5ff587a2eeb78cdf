/** Turns whatever a caller passed into a request of texts and bytes, so that later code needn't check types. */

import { isPlainObject } from "../base/input.ts";
import type { ApiRequest, RequestParts } from "../spec/messages.ts";

type Headers = Readonly<Record<string, string>>;

export interface PlainRequest extends RequestParts, Pick<ApiRequest, "connection"> {
  /** Tells the sender why the request can't be read. If set, there are no headers and no body. */
  readonly flaw?: string | undefined;
}

/** Never throws: if a part of the request throws, the result is a request with a flaw. */
export function plainRequest(request: ApiRequest): PlainRequest {
  try {
    return read(request);
  } catch {
    return unreadable("a part of the request throws when it is read, or can't be written as JSON");
  }
}

function read(request: ApiRequest): PlainRequest {
  // Callers without types may pass anything.
  if (typeof request !== "object" || request === null) {
    return unreadable("a request must be an object with a method and a path");
  }
  const { method, path, query, headers, body, connection } = request;
  if (typeof path !== "string") return unreadable("path must be a string");
  if (typeof method !== "string") return unreadable("method must be a string", "", path);
  const bad = (part: string): PlainRequest =>
    unreadable(`${part} must be a plain object of strings by name`, method, path);
  const pairs = queryText(query);
  if (pairs === undefined) return bad("query, if it isn't a string,");
  const sent = headerTexts(headers);
  if (sent === undefined) return bad("headers");
  const head = { method, ...splitTarget(path, pairs), headers: sent, connection };
  if (body === undefined || body === null) return { ...head, body: "" };
  if (typeof body === "string") return { ...head, body };
  if (body instanceof Uint8Array) {
    // A real one: a subclass or a proxy may lie about its contents.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    return { ...head, body: bytes };
  }
  const isTyped = headerOf(sent, "content-type") !== undefined;
  const typed = isTyped ? sent : { ...sent, "content-type": "application/json" };
  return { ...head, headers: typed, body: JSON.stringify(body) ?? "" };
}

function unreadable(flaw: string, method = "", path = ""): PlainRequest {
  return { method, ...splitTarget(path, ""), headers: {}, body: "", flaw };
}

/** Splits a query off the path and joins it with the given one. */
function splitTarget(path: string, query: string): Pick<PlainRequest, "path" | "query"> {
  const mark = path.indexOf("?");
  if (mark === -1) return { path, query };
  const pairs = [path.slice(mark + 1), query].filter((text) => text !== "");
  return { path: path.slice(0, mark), query: pairs.join("&") };
}

/** Undefined if it is neither text nor an object. Lone surrogates become U+FFFD, as in a browser's URL. */
function queryText(query: unknown): string | undefined {
  if (query === undefined || query === null) return "";
  if (typeof query === "string") return query.startsWith("?") ? query.slice(1) : query;
  if (!isPlainObject(query)) return undefined;
  const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join("&");
}

/** Joins the values of a list, as Node has them, and drops null. Undefined for anything but headers. */
function headerTexts(headers: unknown): Headers | undefined {
  if (headers === undefined || headers === null) return {};
  if (!isPlainObject(headers)) return undefined;
  if (isTextual(headers)) return headers;
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value === "string") texts[name] = value;
    else if (value !== undefined && value !== null) {
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!values.every(isScalar)) return undefined;
      texts[name] = values.join(", ");
    }
  }
  return texts;
}

function isTextual(headers: Readonly<Record<string, unknown>>): headers is Headers {
  for (const name in headers) if (typeof headers[name] !== "string") return false;
  return true;
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The value of the header with this lower-case name. */
export function headerOf(headers: Headers, name: string): string | undefined {
  if (headers[name] !== undefined) return headers[name];
  for (const sent in headers) {
    if (sent.length === name.length && sent.toLowerCase() === name) return headers[sent];
  }
  return undefined;
}
