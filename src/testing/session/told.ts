/** A session as rules read it: with every event that the client was told to report, its calls, its requests and its records. */

import { groupedBy } from "../../base/grouped-by.ts";
import type { EventKind } from "../../spec/operations.ts";
import type { Shown } from "../driver/driver.ts";
import { viewInWords } from "./names.ts";
import { isOfEvent, recordedIds } from "./sent.ts";
import type { Call, Sent, Session } from "./session.ts";

export interface Told extends Session {
  /** In the order in which the client was told of them; clicks follow their impressions. */
  readonly events: readonly AdEvent[];
  /** Requests that recorded an impression which the client was never told to report. */
  readonly strays: readonly Sent[];
  /** Whether the client uses the session ids that it is given: at least one view arrived with its own. */
  readonly takesSessions: boolean;
}

/** An ad view, or a click on one. Views that the client's requests don't tell apart are one event. */
export interface AdEvent {
  readonly kind: EventKind;
  /** In words, for messages. */
  readonly name: string;
  /** The views that it may be; mostly one. */
  readonly views: ViewGroup;
  /** The first of them. */
  readonly view: Shown;
  /** The calls that asked for it. */
  readonly asks: readonly Call[];
  /** The requests for it. */
  readonly sent: readonly Sent[];
  /** What the service recorded for it. */
  readonly recorded: readonly Recorded[];
  /** Whether the client sent a session id that it was given, or made its own of one. */
  readonly hasGivenSession: boolean;
}

type ViewGroup = readonly [Shown, ...Shown[]];

/** A request that the service recorded under an id of its own. */
export interface Recorded {
  readonly id: string;
  readonly by: Sent;
  /** Whether a fault rule had the service carry out the request once more. */
  readonly isCopy: boolean;
}

export function toldOf(session: Session): Told {
  const { requests, calls } = session;
  const { groups, about, takesSessions } = viewGroupsOf(session);
  const sent = requests.filter(isOfEvent);
  const byEvent = groupedBy(sent, (one) =>
    one.operation === "click" ? one.values.impression_id : about(one),
  );
  const asked = groupedBy(calls, ({ shown }) => shown?.session);
  const claimed = new Set<string>();
  const events = groups.flatMap((views) => {
    const asks = views
      .flatMap((view) => asked.get(view.session) ?? [])
      .sort((one, other) => one.step - other.step || one.atMs - other.atMs);
    const byKind = groupedBy(asks, ({ command }) => command.kind === "click");
    const clicks = byKind.get(true) ?? [];
    const shows = byKind.get(false) ?? [];
    const ofView = byEvent.get(views) ?? [];
    const impression = eventOf("impression", views, shows, ofView, claimed);
    if (clicks.length === 0) return [impression];
    const ids = new Set(ofView.flatMap((one) => recordedIds(one, "impression")));
    const ofClicks = [...ids]
      .flatMap((id) => byEvent.get(id) ?? [])
      .sort((one, other) => one.sequence - other.sequence);
    return [impression, eventOf("click", views, clicks, ofClicks, claimed)];
  });
  const strays = sent.filter(
    (one) => about(one) === undefined && recordedIds(one, "impression").length > 0,
  );
  return { ...session, events, strays, takesSessions };
}

/** `claimed`: ids of earlier events. A request that the service answered with one of these recorded nothing new. */
function eventOf(
  kind: EventKind,
  views: ViewGroup,
  asks: readonly Call[],
  sent: readonly Sent[],
  claimed: Set<string>,
): AdEvent {
  const recorded: Recorded[] = [];
  for (const by of sent) {
    for (const [place, id] of recordedIds(by, kind).entries()) {
      if (!claimed.has(id)) recorded.push({ id, by, isCopy: place > 0 });
      claimed.add(id);
    }
  }
  const [view] = views;
  const shown = viewInWords(view);
  const name = kind === "impression" ? shown : `the click on ${shown}`;
  return { kind, name, views, view, asks, sent, recorded, hasGivenSession: isGiven(views, sent) };
}

/** Whether all ids that it sent contain a session that it was given. */
function isGiven(views: ViewGroup, sent: readonly Sent[]): boolean {
  const ids = sent.map(({ values }) => values.session_id ?? "");
  return ids.length > 0 && ids.every((id) => views.some(({ session }) => hasPart(id, session)));
}

/** Whether the text has this part, and no letter or digit right before or after it: "session-1" is no part of "session-12". */
function hasPart(text: string, part: string): boolean {
  const at = text.indexOf(part);
  const around = [text[at - 1], text[at + part.length]];
  return at >= 0 && around.every((char) => char === undefined || !/[a-z0-9]/i.test(char));
}

/**
 * Two views of an ad on a surface differ only in their session. If the client makes its own session ids, its requests don't tell
 * such views apart, and they count together. `about`: the views that a request for an impression may be about.
 */
function viewGroupsOf({ calls, requests }: Session) {
  const bySession = new Map<string, Shown>();
  for (const { shown } of calls) if (shown !== undefined) bySession.set(shown.session, shown);
  const views = [...bySession.values()];
  const exactView = ({ values }: Sent): Shown | undefined => {
    const view = bySession.get(values.session_id ?? "");
    return view !== undefined && spotOf(view) === spotIn(values) ? view : undefined;
  };
  const sent = requests.filter(({ operation }) => operation === "impression");
  const others = sent.filter((one) => exactView(one) === undefined);
  const takesSessions = others.length < sent.length;
  const unclear = new Set(others.map(({ values }) => spotIn(values)));
  const groups = groupedBy(views, (view) => {
    const spot = spotOf(view);
    return takesSessions && !unclear.has(spot) ? view.session : spot;
  });
  const groupOf = new Map<Shown | undefined, ViewGroup>();
  for (const group of groups.values()) for (const view of group) groupOf.set(view, group);
  const bySpot = new Map(views.toReversed().map((view) => [spotOf(view), view]));
  const byAd = new Map(views.toReversed().map((view) => [view.ad, view]));
  const about = (request: Sent): ViewGroup | undefined => {
    const { values } = request;
    // The surface may be wrong.
    const view = exactView(request) ?? bySpot.get(spotIn(values)) ?? byAd.get(values.ad_id ?? "");
    return groupOf.get(view);
  };
  return { groups: [...groups.values()], takesSessions, about };
}

/** An ad on a surface. */
function spotOf({ surface, ad }: Pick<Shown, "surface" | "ad">): string {
  return JSON.stringify([surface, ad]);
}

function spotIn({ surface = "", ad_id = "" }: Sent["values"]): string {
  return spotOf({ surface, ad: ad_id });
}
