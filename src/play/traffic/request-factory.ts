/** What a publisher's traffic asks, as requests ready to be sent. There are millions: what is the same in all is made once. */

import { decimal, threeDigits } from "../../base/decimal.ts";
import { drawBetween, type Key } from "../../base/random.ts";
import type { Member } from "../../laws/client-exchange.ts";
import { buildRequest } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operations } from "../../spec/operations.ts";

export interface RequestFactory {
  /** `index`: of the arrival, which its draws follow from. */
  impression(index: number): ApiRequest;
  click(impressionId: string): ApiRequest;
  readonly reads: Readonly<Record<Exclude<OperationId, "impression" | "click">, ApiRequest>>;
}

export interface RequestFactoryOptions {
  readonly member: Member;
  /** Among how many surfaces impressions are spread, from the member's first. */
  readonly surfaces: number | undefined;
  /** What session ids begin with; undefined where there are none. */
  readonly sessions: string | undefined;
  /** Share of impressions that repeat one of the last. */
  readonly repeated: number;
  readonly keys: {
    /** On which surface, and which ad. */
    readonly placement: Key;
    readonly isRepeated: Key;
    /** Which one is repeated. */
    readonly repeated: Key;
  };
}

const ADS = 20;
/** How many of the last impressions are repeated. */
const RECENT = 100;
const HIGHEST = 0xffff_ffff;
const VALUES = 0x1_0000_0000;

export function createRequestFactory(parts: RequestFactoryOptions): RequestFactory {
  const { member, sessions, repeated, keys } = parts;
  const authorization = `Bearer ${member.apiKey}`;
  const headers = { authorization, "content-type": "application/json" };
  const read = (id: OperationId): ApiRequest =>
    buildRequest(id, { publisher_id: member.id }, { key: member.apiKey });
  const sessionOf = createSessions(sessions ?? "");
  const placements = placementsOf(parts);
  const lastPlacement = placements.length - 1;
  const repeatedBelow = repeated * VALUES;
  const recentPlacements = new Uint32Array(RECENT);
  const recentSessions = new Float64Array(RECENT);
  let asked = 0;

  /** As an object: in process, nobody has to write it as JSON and read it again. */
  function bodyOf(index: number): ApiRequest["body"] {
    let placement = drawBetween(keys.placement, index, 0, lastPlacement);
    let session = index;
    if (repeated > 0) {
      if (asked > 0 && drawBetween(keys.isRepeated, index, 0, HIGHEST) < repeatedBelow) {
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
    return { publisher_id, surface, ad_id, session_id: sessionOf(session) };
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

/** Session ids by number. Most begin like the one before: only three digits are put behind that. */
function createSessions(prefix: string): (session: number) => string {
  let thousands = 0;
  let beginning = prefix;
  return (session) => {
    if (session < 1000) return prefix + decimal(session);
    const whole = Math.floor(session / 1000);
    if (whole !== thousands) {
      thousands = whole;
      beginning = prefix + decimal(whole);
    }
    return beginning + threeDigits(session - whole * 1000);
  };
}

/** What impressions say but for the session, for each surface with each ad. */
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
