/** What the service has on record of a finished life. It goes by what the service did, whatever reached the client. */

import { nearestMicros } from "../../base/money.ts";
import type { Session, Showing } from "./session.ts";
import { jsonOf, memberOf, type WireExchange } from "./wire.ts";

/** An impression or a click on record. */
export interface RecordedEvent {
  readonly id: string;
  /** What the first answer credited, in micro-INR. */
  readonly micros: number;
  /** The one that recorded it; later ones with the same id repeated it. */
  readonly exchange: WireExchange;
}

export interface RecordedImpression extends RecordedEvent {
  /** As they arrived with it. */
  readonly surface: string | undefined;
  readonly ad: string | undefined;
  readonly clicks: readonly RecordedEvent[];
}

export interface Records {
  /** In the order in which they were recorded. */
  readonly impressions: readonly RecordedImpression[];
  /** Those that arrived with its ad, the first time that they arrived. */
  of(showing: Pick<Showing, "ad">): readonly RecordedImpression[];
}

/** @param session A finished life: of another one, more may still come. */
export function recordsOf({ exchanges }: Pick<Session, "exchanges">): Records {
  const impressions = new Map<string, RecordedImpression & { readonly clicks: RecordedEvent[] }>();
  for (const exchange of exchanges) {
    const { operation, values } = exchange;
    if (operation === "impression") {
      const event = eventOf(exchange, "impression_id");
      if (event === undefined || impressions.has(event.id)) continue;
      const about = { surface: values.get("surface"), ad: values.get("ad_id"), clicks: [] };
      impressions.set(event.id, { ...event, ...about });
    } else if (operation === "click") {
      const event = eventOf(exchange, "click_id");
      // Under click.unknown=accept-uncredited a click on nothing is answered as others are, and isn't recorded.
      const clicks = impressions.get(values.get("impression_id") ?? "")?.clicks;
      if (event === undefined || clicks === undefined) continue;
      if (clicks.every(({ id }) => id !== event.id)) clicks.push(event);
    }
  }
  const all = [...impressions.values()];
  return { impressions: all, of: ({ ad }) => all.filter((one) => one.ad === ad) };
}

/** What a success of the service names; undefined of any other answer. */
function eventOf(
  exchange: WireExchange,
  member: "impression_id" | "click_id",
): RecordedEvent | undefined {
  const { served } = exchange;
  if (served?.status !== 200) return undefined;
  const body = jsonOf(served);
  const id = memberOf(body, member);
  if (typeof id !== "string") return undefined;
  return { id, micros: nearestMicros(Number(memberOf(body, "revenue_credited_inr"))), exchange };
}
