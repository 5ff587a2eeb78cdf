/** Recognises the usual request: JSON in the body, no query, no Content-Encoding. Doesn't read the body itself. */

import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { ApiRequest } from "../spec/messages.ts";
import { MAX_BODY_BYTES } from "./parameters.ts";

type Sent = Pick<ApiRequest, "query" | "headers">;

/** Whether the service accepts JSON bodies. */
export const readsJson: Readonly<Record<Choice<"request.encoding">, boolean>> = {
  any: true,
  json: true,
  form: false,
  query: false,
};

/** Other usual spellings of the content type. */
const usualTypes: ReadonlySet<string | undefined> = new Set([
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  "application/json;charset=UTF-8",
  // A body without a type counts as JSON.
  undefined,
]);

/** Whether the body is text that may be within the size limit. */
export function isShortText(body: ApiRequest["body"]): body is string {
  return typeof body === "string" && body.length <= MAX_BODY_BYTES;
}

/** The Authorization header if the request has a JSON body and no query; otherwise undefined. */
export function authorizationIfPlainJson({ headers, query = "" }: Sent): string | undefined {
  if (query !== "" || headers === undefined || headers === null) return undefined;
  let { authorization, "content-type": contentType, "content-encoding": encoding } = headers;
  // Finds other spellings of all three names in one pass; `headerOf` would need three.
  for (const sent in headers) {
    // The full reader deals with values that aren't text.
    if (typeof headers[sent] !== "string") return undefined;
    switch (sent.length) {
      case "authorization".length:
        if (isName(sent, "authorization", "Authorization")) authorization ??= headers[sent];
        break;
      case "content-type".length:
        if (isName(sent, "content-type", "Content-Type")) contentType ??= headers[sent];
        break;
      case "content-encoding".length:
        if (isName(sent, "content-encoding", "Content-Encoding")) encoding ??= headers[sent];
        break;
      default:
    }
  }
  if (encoding !== undefined) return undefined;
  if (contentType !== "application/json" && !usualTypes.has(contentType)) return undefined;
  return authorization;
}

/** `usual` is the most common spelling besides lower case. */
function isName(sent: string, name: string, usual: string): boolean {
  if (sent === name || sent === usual) return true;
  // Few names of the same length begin with the same letter, so this saves most calls of `toLowerCase`.
  return (sent.charCodeAt(0) | 0x20) === name.charCodeAt(0) && sent.toLowerCase() === name;
}
