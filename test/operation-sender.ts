/** Requests of one publisher, and at which of them a rule fires. */

import type { ApiResponse, Publisher, SimulatorCore, Verdict } from "../src/index.ts";
import { buildRequest } from "../src/spec/build-request.ts";
import type { OperationId } from "../src/spec/operations.ts";

/** A verdict with a status that the service itself never gives. */
export const mark: Verdict = { kind: "respond", status: 599 };

export interface Sender {
  readonly publisher: Publisher;
  /** `from`: a day. */
  stats(from?: string): ApiResponse;
  surfaces(): ApiResponse;
  payouts(): ApiResponse;
  /** On the publisher's first surface. Without a session it is never a duplicate. */
  impression(sessionId?: string): ApiResponse;
  click(impressionId: string): ApiResponse;
  /** To a path where no operation answers: it costs no quota. */
  nowhere(): ApiResponse;
}

export function senderOf(
  sim: Pick<SimulatorCore, "handle" | "publishers">,
  publisher: Publisher = sim.publishers.at(0),
): Sender {
  const { id: publisher_id, apiKey: key, surfaces } = publisher;
  const send = (operation: OperationId, parameters: Readonly<Record<string, unknown>>) =>
    sim.handle(buildRequest(operation, parameters, { key }));
  const surface = surfaces[0]?.id ?? "";
  const headers = { authorization: `Bearer ${key}` };
  return {
    publisher,
    stats: (from) => send("stats", { publisher_id, ...(from && { from }) }),
    surfaces: () => send("surfaces", { publisher_id }),
    payouts: () => send("payouts", { publisher_id }),
    impression: (session_id) =>
      send("impression", { publisher_id, surface, ad_id: "ad", session_id }),
    click: (impression_id) => send("click", { impression_id }),
    nowhere: () => sim.handle({ method: "GET", path: "/nowhere", headers }),
  };
}

export function impressionIdOf({ body }: ApiResponse): string {
  return JSON.parse(body).impression_id;
}

/** Which of `count` requests {@link mark} was the answer to, by place, from 1. */
export function marked(count: number, send: (place: number) => ApiResponse): number[] {
  return Array.from({ length: count }, (_, index) => index + 1).filter(
    (place) => send(place).status === 599,
  );
}
