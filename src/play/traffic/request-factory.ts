/** Builds the requests of a publisher's traffic. There are millions, so shared parts are built only once. */

import { drawBetween, drawFraction, type Key } from "../../base/random.ts";
import { buildRequest } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import type { TrafficMember } from "./order.ts";

export interface RequestFactory {
  /** `index`: the arrival's number, from which its random draws are derived. */
  impression(index: number): ApiRequest;
  click(impressionId: string): ApiRequest;
  readonly reads: Readonly<Record<Exclude<OperationId, "impression" | "click">, ApiRequest>>;
}

export interface RequestFactoryOptions {
  readonly member: TrafficMember;
  /** How many of the member's surfaces to use, from its first; undefined for all. */
  readonly surfaces: number | undefined;
  /** Prefix of session ids; undefined for impressions without them. */
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
  const authorization = `Bearer ${member.apiKey}`;
  const headers = { authorization, "content-type": "application/json" };
  const read = (id: OperationId): ApiRequest =>
    buildRequest(id, { publisher_id: member.id }, { key: member.apiKey });
  const placements = placementsOf(parts);
  const lastPlacement = placements.length - 1;
  const recentPlacements = new Uint32Array(RECENT);
  const recentSessions = new Float64Array(RECENT);
  let asked = 0;

  /** An object instead of JSON text, which saves writing and parsing it in process. */
  function bodyOf(index: number): ApiRequest["body"] {
    let placement = drawBetween(keys.placement, index, 0, lastPlacement);
    let session = index;
    if (repeated > 0) {
      if (asked > 0 && drawFraction(keys.isRepeated, index) < repeated) {
        const before = drawBetween(keys.repeated, index, 1, Math.min(asked, RECENT));
        const place = (asked - before) % RECENT;
        placement = recentPlacements[place] ?? placement;
        session = recentSessions[place] ?? session;
      }
      recentPlacements[asked % RECENT] = placement;
      recentSessions[asked % RECENT] = session;
      asked += 1;
    }
    const shown = placements[placement];
    if (shown === undefined || sessions === undefined) return shown;
    const { publisher_id, surface, ad_id } = shown;
    return { publisher_id, surface, ad_id, session_id: `${sessions}${session}` };
  }

  return {
    impression: (index) => ({
      method: "POST",
      path: operations.impression.path,
      headers,
      body: bodyOf(index),
    }),
    click: (impressionId) => ({
      method: "POST",
      path: operations.click.path,
      headers,
      body: `{"impression_id":${impressionId}}`,
    }),
    reads: { stats: read("stats"), surfaces: read("surfaces"), payouts: read("payouts") },
  };
}

/** The impression parameters without session, for each surface and ad. */
function placementsOf({ member, surfaces }: RequestFactoryOptions): Placement[] {
  return member.surfaces.slice(0, surfaces).flatMap(({ id }) =>
    Array.from({ length: ADS }, (_, ad) => ({
      publisher_id: member.id,
      surface: id,
      ad_id: `ad-${ad + 1}`,
    })),
  );
}

type Placement = Readonly<Record<"publisher_id" | "surface" | "ad_id", string>>;
