/** What the service has on record of a finished life. It goes by what the service did, whatever reached the client. */

import type { Session, Showing } from "./session.ts";
import { recordedId, type WireExchange } from "./wire.ts";

/** An impression or a click on record. */
export interface RecordedEvent {
  readonly id: string;
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
    if (operation !== "impression" && operation !== "click") continue;
    const id = recordedId(exchange, operation);
    if (id === undefined) continue;
    if (operation === "impression") {
      if (impressions.has(id)) continue;
      const about = { surface: values.get("surface"), ad: values.get("ad_id"), clicks: [] };
      impressions.set(id, { id, exchange, ...about });
    } else {
      // Under click.unknown=accept-uncredited a click on nothing is answered as others are, and isn't recorded.
      const clicks = impressions.get(values.get("impression_id") ?? "")?.clicks;
      if (clicks?.every((one) => one.id !== id)) clicks.push({ id, exchange });
    }
  }
  const all = [...impressions.values()];
  return { impressions: all, of: ({ ad }) => all.filter((one) => one.ad === ad) };
}
