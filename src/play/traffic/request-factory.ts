/** Builds the requests of a publisher's traffic. */

import { drawBetween, drawFraction, type Key } from "../../base/random.ts";
import { buildRequest } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import type { Traffic } from "./traffic.ts";

export type RequestFactory = ReturnType<typeof createRequestFactory>;

/** How many different ads impressions show: ad-1, ad-2 and so on. */
export const ADS = 20;
/** One of this many last impressions is repeated. */
const RECENT = 100;

/** `sessions`: what session ids begin with; undefined for impressions without them. `key`: of the draws for a use. */
export function createRequestFactory(
  { id, apiKey, surfaces: all }: Credentials,
  { surfaces: used, repeatedSessions: repeated = 0 }: Traffic,
  sessions: string | undefined,
  key: (use: string) => Key,
) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const surfaces = all.slice(0, used);
  const recent: ApiRequest["body"][] = [];
  const placementKey = key("placements");
  const [repeatsKey, repeatedKey] = [key("repeats"), key("repeated")];
  const read = (operation: OperationId): ApiRequest =>
    buildRequest(operation, { publisher_id: id }, { key: apiKey });

  function post(operation: OperationId, body: ApiRequest["body"]): ApiRequest {
    return { method: "POST", path: operations[operation].path, headers, body };
  }
  function newBody(index: number): ApiRequest["body"] {
    const placement = drawBetween(placementKey, index, 0, surfaces.length * ADS - 1);
    const surface = surfaces[Math.floor(placement / ADS)]?.id ?? "";
    const shown = { publisher_id: id, surface, ad_id: `ad-${(placement % ADS) + 1}` };
    return sessions === undefined ? shown : { ...shown, session_id: `${sessions}-${index}` };
  }
  return {
    /** `index`: the arrival's number, which decides the random draws. Call it in order: it may repeat earlier ones. */
    impression(index: number): ApiRequest {
      if (repeated === 0) return post("impression", newBody(index));
      const isRepeated = recent.length > 0 && drawFraction(repeatsKey, index) < repeated;
      const body = isRepeated
        ? recent.at(-drawBetween(repeatedKey, index, 1, recent.length))
        : newBody(index);
      if (recent.push(body) > RECENT) recent.shift();
      return post("impression", body);
    },
    click: (impressionId: string): ApiRequest => post("click", { impression_id: impressionId }),
    reads: { stats: read("stats"), surfaces: read("surfaces"), payouts: read("payouts") },
  };
}
