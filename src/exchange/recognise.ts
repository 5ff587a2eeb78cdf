/**
 * Recognises an impression as nearly every client sends it, from its first stage on: whose it is and what it says. Looking
 * changes nothing, and what isn't recognised goes the whole way.
 */

import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { ApiRequest } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Members, Recognised } from "./usual-impressions.ts";
import { isUsualText, readsJson, senderOfJson } from "./usual-json.ts";

/** Of a request as it came, or with its query apart from its path. */
export type Recogniser = (request: ApiRequest) => Recognised | undefined;

export function createRecogniser(
  assumptions: Assumptions,
  authenticate: Authenticator,
): Recogniser {
  const { method, path } = operations.impression;
  if (!readsJson[assumptions["request.encoding"]]) return () => undefined;
  return (request) => {
    try {
      if (request.path !== path || request.method !== method) return undefined;
      const { body } = request;
      const header = senderOfJson(request);
      if (isUsualText(body)) return authenticate.usualBy(header)?.read(body);
      // Found by its publisher: that is mostly one and the same text, and the header may be another each time.
      return isObject(body)
        ? authenticate.usualOf(body.publisher_id, header)?.readMembers(body)
        : undefined;
    } catch {
      // What throws when it is read, null too, is no impression as clients send it: the whole way says so.
      return undefined;
    }
  };
}

/** Whether it is sent as JSON. */
function isObject(body: ApiRequest["body"]): body is Members {
  return typeof body === "object" && !(body instanceof Uint8Array);
}
