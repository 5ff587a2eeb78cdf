/** Turns whatever an untyped caller gave into a request of texts and bytes. Code behind this needn't check types again. */

import { isPlainObject } from "../base/input.ts";
import type { ApiRequest, RequestParts } from "../spec/messages.ts";
import { headerOf } from "./headers.ts";

type Headers = Readonly<Record<string, string>>;

export interface PlainRequest extends RequestParts {
  /** Why it can't be a request, for its sender; undefined where it can. Then it has no headers and no body. */
  readonly flaw?: string | undefined;
}

/** Never throws: a getter that throws, or a proxy, makes a request that can't be read. */
export function plainRequest(request: ApiRequest): PlainRequest {
  try {
    return read(request);
  } catch {
    return unreadable("a part of the request throws when it is read");
  }
}

function read(request: ApiRequest): PlainRequest {
  // Programs without types call this, too.
  if (typeof request !== "object" || request === null) {
    return unreadable("a request is an object with a method and a path");
  }
  const { method, path, query, headers, body } = request;
  if (typeof method !== "string") return unreadable("method must be a string", "", textOf(path));
  if (typeof path !== "string") return unreadable("path must be a string", method);
  const bad = (part: string): PlainRequest =>
    unreadable(`${part} must be a plain object of strings by name`, method, path);
  const text = queryText(query);
  if (text === undefined) return bad("query, where it isn't a string,");
  const fields = isTextual(headers) ? headers : headerTexts(headers);
  if (fields === undefined) return bad("headers");
  const target = splitTarget(path, text);
  if (typeof body === "string") return { method, ...target, headers: fields, body };
  if (body === undefined || body === null) return { method, ...target, headers: fields, body: "" };
  if (body instanceof Uint8Array) {
    // A class of its own, or a proxy, may say of itself what isn't true.
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    return { method, ...target, headers: fields, body: bytes };
  }
  return { method, ...target, headers: asJson(fields), body: jsonText(body) };
}

function unreadable(flaw: string, method = "", path = ""): PlainRequest {
  return { method, ...splitTarget(path, ""), headers: noHeaders, body: "", flaw };
}

const noHeaders: Headers = Object.freeze({});

/** A path may carry a query as well. */
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
 * The query of a request as text; undefined for what has no pairs. A lone surrogate has no UTF-8: it becomes U+FFFD, as in
 * a browser's URL.
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

/** Whether they are headers as they should be. */
function isTextual(headers: unknown): headers is Headers {
  if (!isPlainObject(headers)) return false;
  for (const name in headers) if (typeof headers[name] !== "string") return false;
  return true;
}

/** Headers as Node has them, and others mean them: lists are joined, null is a header that isn't there. */
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

/** An object is sent as JSON, unless the sender says otherwise. */
function asJson(headers: Headers): Headers {
  if (headerOf(headers, "content-type") !== undefined) return headers;
  return { ...headers, "content-type": "application/json" };
}

/** An object body as it is sent. One that JSON can't write becomes a text that isn't JSON: it is refused as such. */
function jsonText(body: unknown): string {
  try {
    return JSON.stringify(body) ?? notJson;
  } catch {
    return notJson;
  }
}

const notJson = "(an object that JSON can't write)";
