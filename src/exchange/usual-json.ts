/** Recognises what nearly every client sends: JSON in the body, no query, no encoding. The text itself isn't looked at. */

import type { Choice } from "../assumptions/catalogue.ts";
import { MAX_BODY_BYTES, type ParsedTarget } from "./parameters.ts";

export interface UsualJson {
  readonly text: string;
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
}

/** Whether the reading in force takes JSON bodies. */
export const readsJson: Readonly<Record<Choice<"request.encoding">, boolean>> = {
  any: true,
  json: true,
  form: false,
  query: false,
};

/** Undefined for any other request, or where a header is there in two spellings: those are read in full. */
export function usualJsonOf({ body, headers, query }: ParsedTarget): UsualJson | undefined {
  if (typeof body !== "string" || query !== "" || body.length > MAX_BODY_BYTES) return undefined;
  let authorization: string | undefined;
  let contentType: string | undefined;
  // One pass in place of a search for each, which has to look at all names where one isn't there.
  for (const sent in headers) {
    switch (sent.length) {
      case "authorization".length:
        if (!isName(sent, "authorization", "Authorization")) break;
        if (authorization !== undefined) return undefined;
        authorization = headers[sent];
        break;
      case "content-type".length:
        if (!isName(sent, "content-type", "Content-Type")) break;
        if (contentType !== undefined) return undefined;
        contentType = headers[sent];
        break;
      case "content-encoding".length:
        if (isName(sent, "content-encoding", "Content-Encoding")) return undefined;
        break;
      default:
    }
  }
  return contentType === "application/json" ? { text: body, authorization } : undefined;
}

/** `usual`: how it is mostly spelt where not in lower case. */
function isName(sent: string, name: string, usual: string): boolean {
  return sent === name || sent === usual || sent.toLowerCase() === name;
}
