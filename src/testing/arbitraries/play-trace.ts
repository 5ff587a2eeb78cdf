/** Plays a trace of events to a simulator: places become publishers, surfaces and impressions, events become requests. */

import { InputError, inField } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import { buildRequest, encodingOf } from "../../spec/build-request.ts";
import type { ApiRequest, ApiResponse } from "../../spec/messages.ts";
import type { OperationId } from "../../spec/operations.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import { jsonOf, memberOf } from "../session/wire.ts";
import type { TraceEvent } from "./trace.ts";

/** An event, and what came of it. */
export interface TraceStep {
  readonly event: TraceEvent;
  /** When it happened, in milliseconds since 1970 on the world's clock; of a wait its end. */
  readonly atMs: number;
  /** In the order of sending. None for a wait, and where there was no impression yet. Requests hold keys. */
  readonly exchanges: readonly { readonly request: ApiRequest; readonly response: ApiResponse }[];
}

/** What an impression left, for repeats and clicks. */
interface SentImpression {
  readonly publisher: Publisher;
  readonly request: ApiRequest;
  /** Undefined where the answer had none. */
  readonly impressionId: string | undefined;
}

/**
 * What the reading of `request.encoding` in force asks for is how requests are sent.
 *
 * @throws InputError for what isn't such an event, and for a wait past the last instant of a world: the events before it
 * have happened.
 */
export function playTrace(sim: SimulatorCore, trace: readonly TraceEvent[]): readonly TraceStep[] {
  const known: SentImpression[] = [];
  return trace.map((event, place) => {
    const exchanges = inField(`trace.${place}`, () => playEvent(sim, event, known));
    return { event, atMs: sim.clock.now(), exchanges };
  });
}

function playEvent(
  sim: SimulatorCore,
  event: TraceEvent,
  known: SentImpression[],
): TraceStep["exchanges"] {
  const send = (request: ApiRequest): TraceStep["exchanges"][number] => ({
    request,
    response: sim.handle(request),
  });
  const requestBy = ({ apiKey }: Publisher, operation: OperationId, values: Values): ApiRequest =>
    buildRequest(operation, values, { key: apiKey, encoding: encodingOf(sim.assumptions) });
  switch (event.kind) {
    case "wait":
      sim.clock.advance(event.byMs);
      return [];
    case "impression": {
      const publisher = publisherAt(sim, event.publisher);
      const sent = send(requestBy(publisher, "impression", impressionValues(publisher, event)));
      known.push({ publisher, request: sent.request, impressionId: impressionIdIn(sent.response) });
      return [sent];
    }
    case "repeat": {
      const shown = ago(known, event.ago);
      return shown === undefined ? [] : [send(shown.request)];
    }
    case "click": {
      const clickable = known.filter(({ impressionId }) => impressionId !== undefined);
      const shown = ago(clickable, event.ago);
      if (shown === undefined) return [];
      const values = { impression_id: shown.impressionId ?? "" };
      return [send(requestBy(shown.publisher, "click", values))];
    }
    case "read": {
      const publisher = publisherAt(sim, event.publisher);
      const request = requestBy(publisher, "stats", { publisher_id: publisher.id });
      return Array.from({ length: whole(event.times, "times") }, () => send(request));
    }
    default:
      throw new InputError("kind", "must be impression, repeat, click, read or wait");
  }
}

function publisherAt({ publishers }: SimulatorCore, place: number): Publisher {
  return publishers.at(whole(place, "publisher") % publishers.total);
}

function ago(known: readonly SentImpression[], back: number): SentImpression | undefined {
  return known.at(-1 - (whole(back, "ago") % Math.max(1, known.length)));
}

function whole(value: number, field: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InputError(field, "must be a whole number from 0 on");
}

type Values = Readonly<Record<string, string>>;

/** A publisher without an active surface shows on one that isn't: the answer is the service's affair. */
function impressionValues(
  { id, surfaces }: Publisher,
  { surface: place, ad, session }: Extract<TraceEvent, { kind: "impression" }>,
): Values {
  const active = surfaces.filter(({ status }) => status === "active");
  const among = active.length > 0 ? active : surfaces;
  const surface = among[whole(place, "surface") % Math.max(1, among.length)]?.id ?? "none";
  const values = { publisher_id: id, surface, ad_id: ad };
  return session === undefined ? values : { ...values, session_id: session };
}

/** Undefined where a fault rule broke the answer, too. */
function impressionIdIn(response: ApiResponse): string | undefined {
  const id = memberOf(jsonOf(response), "impression_id");
  return response.status === 200 && typeof id === "string" ? id : undefined;
}
