/** Turns whatever an untyped caller passed into a request of texts and bytes, so that later code needn't check types. */

import { isPlainObject } from "../base/input.ts";
import type { ApiRequest, RequestParts } from "../spec/messages.ts";
import { headerOf } from "./headers.ts";

type Headers = Readonly<Record<string, string>>;

export interface PlainRequest extends RequestParts {
  /** Tells the sender why the request can't be read. If set, there are no headers and no body. */
  readonly flaw?: string | undefined;
}

/** Never throws: if a getter or a proxy throws, the result is a request with a flaw. */
export function plainRequest(request: ApiRequest): PlainRequest {
  try {
    return read(request);
  } catch {
    return unreadable("a part of the request throws when it is read");
  }
}

function read(request: ApiRequest): PlainRequest {
  // Callers without types may pass anything.
  if (typeof request !== "object" || request === null) {
    return unreadable("a request must be an object with a method and a path");
  }
  const { method, path, query, headers, body } = request;
  if (typeof method !== "string") return unreadable("method must be a string", "", textOf(path));
  if (typeof path !== "string") return unreadable("path must be a string", method);
  const bad = (part: string): PlainRequest =>
    unreadable(`${part} must be a plain object of strings by name`, method, path);
  const text = queryText(query);
  if (text === undefined) return bad("query, if it isn't a string,");
  const fields = isTextual(headers) ? headers : headerTexts(headers);
  if (fields === undefined) return bad("headers");
  const target = splitTarget(path, text);
  if (typeof body === "string") return { method, ...target, headers: fields, body };
  if (body === undefined || body === null) return { method, ...target, headers: fields, body: "" };
  if (body instanceof Uint8Array) {
    // Wrapped in a real Uint8Array: a subclass or a proxy may lie about its contents.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    return { method, ...target, headers: fields, body: bytes };
  }
  return { method, ...target, headers: asJson(fields), body: jsonText(body) };
}

function unreadable(flaw: string, method = "", path = ""): PlainRequest {
  return { method, ...splitTarget(path, ""), headers: noHeaders, body: "", flaw };
}

const noHeaders: Headers = Object.freeze({});

/** Splits a query off the path and joins it with the given one. */
function splitTarget(path: string, query: string): Pick<PlainRequest, "path" | "query"> {
  const mark = path.indexOf("?");
  if (mark === -1) return { path, query };
  const inPath = path.slice(mark + 1);
  return {
    path: path.slice(0, mark),
    query: inPath === "" || query === "" ? inPath + query : `${inPath}&${query}`,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * The query of a request as text; undefined if it is neither text nor an object. Lone surrogates become U+FFFD, as in a
 * browser's URL.
 */
function queryText(query: unknown): string | undefined {
  if (query === undefined || query === null) return "";
  if (typeof query === "string") return query.startsWith("?") ? query.slice(1) : query;
  if (!isPlainObject(query)) return undefined;
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Whether the headers already have the documented type. */
function isTextual(headers: unknown): headers is Headers {
  if (!isPlainObject(headers)) return false;
  for (const name in headers) if (typeof headers[name] !== "string") return false;
  return true;
}

/** Converts untyped headers, such as Node's: joins lists and drops null. Undefined for other values. */
function headerTexts(headers: unknown): Headers | undefined {
  if (headers === undefined || headers === null) return noHeaders;
  if (!isPlainObject(headers)) return undefined;
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || value === null) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!values.every(isScalar)) return undefined;
    texts[name] = values.join(", ");
  }
  return texts;
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Adds the content type of an object body, unless the sender set one. */
function asJson(headers: Headers): Headers {
  if (headerOf(headers, "content-type") !== undefined) return headers;
  return { ...headers, "content-type": "application/json" };
}

/** The text of an object body. An object that JSON can't write becomes invalid JSON, which is refused later. */
function jsonText(body: unknown): string {
  try {
    return JSON.stringify(body) ?? notJson;
  } catch {
    return notJson;
  }
}

const notJson = "(an object that JSON can't write)";
