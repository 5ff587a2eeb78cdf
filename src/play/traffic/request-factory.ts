/** Builds the requests of a publisher's traffic. */

import { drawBetween, drawFraction, type Key } from "../../base/random.ts";
import { buildRequest } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import type { TrafficMember } from "./order.ts";

export interface RequestFactory {
  /** `index`: the arrival's number, which decides the random draws. Call it in order: impressions may repeat earlier ones. */
  impression(index: number): ApiRequest;
  click(impressionId: string): ApiRequest;
  readonly reads: Readonly<Record<Exclude<OperationId, "impression" | "click">, ApiRequest>>;
}

export interface RequestFactoryOptions {
  readonly member: TrafficMember;
  /** How many of the member's surfaces to use, from its first; undefined for all. */
  readonly surfaces: number | undefined;
  /** What session ids begin with; undefined for impressions without them. */
  readonly sessions: string | undefined;
  /** Share of impressions that repeat a recent one. */
  readonly repeated: number;
  readonly keys: {
    /** Chooses surface and ad. */
    readonly placement: Key;
    readonly isRepeated: Key;
    /** Chooses the impression to repeat. */
    readonly repeated: Key;
  };
}

/** How many different ads impressions show: ad-1, ad-2 and so on. */
export const ADS = 20;
/** One of this many last impressions is repeated. */
export const RECENT = 100;

export function createRequestFactory(parts: RequestFactoryOptions): RequestFactory {
  const { member, sessions, repeated, keys } = parts;
  const headers = { authorization: `Bearer ${member.apiKey}`, "content-type": "application/json" };
  const surfaces = member.surfaces.slice(0, parts.surfaces);
  const recent: ApiRequest["body"][] = [];
  const read = (id: OperationId): ApiRequest =>
    buildRequest(id, { publisher_id: member.id }, { key: member.apiKey });
  const post = (id: OperationId, body: ApiRequest["body"]): ApiRequest => ({
    method: "POST",
    path: operations[id].path,
    headers,
    body,
  });

  function newBody(index: number): ApiRequest["body"] {
    const placement = drawBetween(keys.placement, index, 0, surfaces.length * ADS - 1);
    const surface = surfaces[Math.floor(placement / ADS)]?.id ?? "";
    const shown = { publisher_id: member.id, surface, ad_id: `ad-${(placement % ADS) + 1}` };
    return sessions === undefined ? shown : { ...shown, session_id: `${sessions}-${index}` };
  }

  function bodyOf(index: number): ApiRequest["body"] {
    if (repeated === 0) return newBody(index);
    const isRepeated = recent.length > 0 && drawFraction(keys.isRepeated, index) < repeated;
    const body = isRepeated
      ? recent.at(-drawBetween(keys.repeated, index, 1, recent.length))
      : newBody(index);
    if (recent.push(body) > RECENT) recent.shift();
    return body;
  }

  return {
    impression: (index) => post("impression", bodyOf(index)),
    click: (impressionId) => post("click", { impression_id: impressionId }),
    reads: { stats: read("stats"), surfaces: read("surfaces"), payouts: read("payouts") },
  };
}
