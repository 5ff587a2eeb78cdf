/** Recognises what nearly every client sends: JSON in the body, no query, no encoding. The text itself isn't looked at. */

import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { ApiRequest } from "../spec/messages.ts";
import { MAX_BODY_BYTES } from "./parameters.ts";

/** What is looked at. */
type Sent = Pick<ApiRequest, "query" | "headers">;

/** Whether the reading in force takes JSON bodies. */
export const readsJson: Readonly<Record<Choice<"request.encoding">, boolean>> = {
  any: true,
  json: true,
  form: false,
  query: false,
};

/** How a type with a charset is mostly spelt. */
const usualTypes: ReadonlySet<string | undefined> = new Set([
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  "application/json;charset=UTF-8",
  // What doesn't say is taken for JSON.
  undefined,
]);

/** Whether it is text, and no more than is read. */
export function isShortText(body: ApiRequest["body"]): body is string {
  return typeof body === "string" && body.length <= MAX_BODY_BYTES;
}

/** The Authorization header of a request that has JSON in its body and no query; undefined for any other. */
export function authorizationIfPlainJson({ headers, query = "" }: Sent): string | undefined {
  if (query !== "" || headers === undefined || headers === null) return undefined;
  let { authorization, "content-type": contentType, "content-encoding": encoding } = headers;
  // The other spellings, as `headerOf` finds them, for all three at once.
  for (const sent in headers) {
    // What isn't text has to be looked at in full.
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

/** `usual`: how it is mostly spelt where not in lower case. */
function isName(sent: string, name: string, usual: string): boolean {
  if (sent === name || sent === usual) return true;
  // Of many names of its length few begin alike.
  return (sent.charCodeAt(0) | 0x20) === name.charCodeAt(0) && sent.toLowerCase() === name;
}
