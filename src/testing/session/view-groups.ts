/**
 * Finds the ad view that a request is about. Two views of an ad on a surface differ only in their session. If the client
 * makes its own session ids, its requests don't tell such views apart, and they count together.
 */

import { groupedBy } from "../../base/grouped-by.ts";
import type { AdView, Session } from "./session.ts";
import type { WireExchange } from "./wire-exchange.ts";

/** Views that the client's requests don't tell apart. Mostly a single one. */
export type ViewGroup = readonly [AdView, ...AdView[]];

export interface ViewGroups {
  /** In the order of their first views. */
  readonly all: readonly ViewGroup[];
  /** The views that a request for an impression may be about; undefined if its ad was never shown. */
  about(request: WireExchange): ViewGroup | undefined;
  /** Whether the view looks to the client like one that it was told to report before. */
  isRepeat(view: AdView): boolean;
  /** Whether the client uses the session ids that it is given: at least one view arrived with its own. */
  readonly takesSessions: boolean;
}

export function viewGroupsOf({
  views,
  exchanges,
}: Pick<Session, "views" | "exchanges">): ViewGroups {
  const bySession = new Map(views.map((view) => [view.session, view]));
  const exactView = ({ values }: WireExchange): AdView | undefined => {
    const view = bySession.get(values.get("session_id") ?? "");
    return view !== undefined && spotOf(view) === spotIn(values) ? view : undefined;
  };
  const sent = exchanges.filter(({ operation }) => operation === "impression");
  const others = sent.filter((one) => exactView(one) === undefined);
  const takesSessions = others.length < sent.length;
  const unclear = new Set(others.map(({ values }) => spotIn(values)));
  const groups = groupedBy(views, (view) => {
    const spot = spotOf(view);
    return takesSessions && !unclear.has(spot) ? view.session : spot;
  });
  const all = [...groups.values()];
  const groupOf = new Map(all.flatMap((group) => group.map((view) => [view, group] as const)));
  return {
    all,
    about(request) {
      const spot = spotIn(request.values);
      const ad = request.values.get("ad_id");
      const view =
        exactView(request) ??
        views.find((one) => spotOf(one) === spot) ??
        // The surface may be wrong.
        views.find((one) => one.ad === ad);
      return view && groupOf.get(view);
    },
    isRepeat: (view) => groupOf.get(view)?.[0] !== view,
    takesSessions,
  };
}

/** An ad on a surface. */
function spotOf({ surface, ad }: Pick<AdView, "surface" | "ad">): string {
  return JSON.stringify([surface, ad]);
}

function spotIn(values: WireExchange["values"]): string {
  return spotOf({ surface: values.get("surface") ?? "", ad: values.get("ad_id") ?? "" });
}
