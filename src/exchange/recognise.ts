/**
 * Recognises an impression as nearly every client sends it, from its first stage on: whose it is and what it says. Looking
 * changes nothing, and what isn't recognised goes the whole way.
 */

import type { Assumptions } from "../assumptions/catalogue.ts";
import type { ApiRequest } from "../contract/messages.ts";
import { operations } from "../contract/operations.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Recognised } from "./usual-impressions.ts";
import { readsJson, usualJsonOf } from "./usual-json.ts";

/** Of a request as it came, or with its query apart from its path. */
export type Recogniser = (request: ApiRequest) => Recognised | undefined;

export function createRecogniser(
  assumptions: Assumptions,
  authenticate: Authenticator,
): Recogniser {
  const { method, path } = operations.impression;
  if (!readsJson[assumptions["request.encoding"]]) return () => undefined;
  return (request) => {
    if (request.path !== path || request.method !== method) return undefined;
    const json = usualJsonOf(request);
    if (json === undefined) return undefined;
    return authenticate.usualBy(json.authorization)?.read(json.text);
  };
}
