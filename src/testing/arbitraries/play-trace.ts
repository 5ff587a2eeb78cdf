/** Plays a trace on a simulator: indexes become publishers, surfaces and impressions, and events become requests. */

import { InputError, inField } from "../../base/input.ts";
import { eventIdIn } from "../../journal/wire-exchange.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import { buildRequest, encodingOf } from "../../spec/build-request.ts";
import type { ApiRequest, ApiResponse } from "../../spec/messages.ts";
import type { OperationId } from "../../spec/operations.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import type { TraceEvent } from "./trace.ts";

/** An event with its requests and answers. */
export interface TraceStep {
  readonly event: TraceEvent;
  /** When it happened, or when a wait ended, in milliseconds since 1970 on the world's clock. */
  readonly atMs: number;
  /** In the order of sending; empty for a wait, or if there was no impression to repeat or click. Requests have keys. */
  readonly exchanges: readonly { readonly request: ApiRequest; readonly response: ApiResponse }[];
}

/** An impression that was sent, for repeats and clicks. */
interface SentImpression {
  readonly publisher: Publisher;
  readonly request: ApiRequest;
  /** Undefined if the answer had none: a fault rule may have broken it. */
  readonly impressionId: string | undefined;
}

/**
 * Requests are encoded by the choice of `request.encoding`.
 *
 * @throws InputError for an invalid event, or a wait past the last instant of a world. Earlier events have happened
 * then.
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
      known.push({
        publisher,
        request: sent.request,
        impressionId: eventIdIn(sent.response, "impression"),
      });
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
  throw new InputError(field, "must be a whole number, at least 0");
}

type Values = Readonly<Record<string, string>>;

/** If the publisher has no active surface, an inactive one is used, and the service may refuse it. */
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
