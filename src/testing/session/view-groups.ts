/**
 * Finds the ad view that a request is about. Two views of an ad on a surface differ only in their session. If the client
 * makes its own session ids, its requests don't tell such views apart, and they count together.
 */

import type { AdView, Session } from "./session.ts";
import type { WireExchange } from "./wire.ts";

/** Views that the client's requests don't tell apart. Mostly a single one. */
export type ViewGroup = readonly [AdView, ...AdView[]];

export interface ViewGroups {
  /** In the order of their first views. */
  readonly all: readonly ViewGroup[];
  /** The views that a request for an impression may be about; undefined if its ad was never shown. */
  about(request: WireExchange): ViewGroup | undefined;
  /** Whether the client uses the session ids that it is given: at least one view arrived with its own. */
  readonly takesSessions: boolean;
}

export function viewGroupsOf({
  views,
  exchanges,
}: Pick<Session, "views" | "exchanges">): ViewGroups {
  const bySession = new Map(views.map((view) => [view.session, view]));
  const withOwnSession = ({ values }: WireExchange): AdView | undefined => {
    const view = bySession.get(values.get("session_id") ?? "");
    return view?.ad === values.get("ad_id") ? view : undefined;
  };
  const sent = exchanges.filter(({ operation }) => operation === "impression");
  const others = sent.filter((one) => withOwnSession(one) === undefined);
  const takesSessions = others.length < sent.length;
  const unclear = new Set(
    others.map(({ values }) => spotOf({ surface: values.get("surface"), ad: values.get("ad_id") })),
  );
  const groups = new Map<string, [AdView, ...AdView[]]>();
  const groupOf = new Map<AdView, ViewGroup>();
  for (const view of views) {
    const spot = spotOf(view);
    const key = takesSessions && !unclear.has(spot) ? view.session : spot;
    const group = groups.get(key) ?? [view];
    if (groups.has(key)) group.push(view);
    groups.set(key, group);
    groupOf.set(view, group);
  }
  return {
    all: [...groups.values()],
    about(request) {
      const ad = request.values.get("ad_id");
      const surface = request.values.get("surface");
      const view =
        withOwnSession(request) ??
        views.find((one) => one.ad === ad && one.surface === surface) ??
        // The surface may be wrong.
        views.find((one) => one.ad === ad);
      return view && groupOf.get(view);
    },
    takesSessions,
  };
}

function spotOf({
  surface,
  ad,
}: { readonly [Name in "surface" | "ad"]: string | undefined }): string {
  return JSON.stringify([surface, ad]);
}
