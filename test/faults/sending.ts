/** Requests of one publisher, and where in a row of them a rule fires. */

import type { ApiResponse, Publisher, Simulator, Verdict } from "../../src/index.ts";

/** A verdict that no answer of the service is taken for. */
export const mark: Verdict = { kind: "respond", status: 599 };

export interface Sender {
  readonly publisher: Publisher;
  stats(): ApiResponse;
  /** On the publisher's first surface. Without a session it is never a duplicate. */
  impression(sessionId?: string): ApiResponse;
  click(impressionId: string): ApiResponse;
  /** To a path where no operation answers: it costs no quota. */
  nowhere(): ApiResponse;
}

export function senderOf(sim: Simulator, publisher: Publisher = sim.publishers.at(0)): Sender {
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  const { id } = publisher;
  const surface = publisher.surfaces[0]?.id ?? "";
  const post = (path: string, body: Readonly<Record<string, unknown>>): ApiResponse =>
    sim.handle({ method: "POST", path, headers, body });
  return {
    publisher,
    stats: () =>
      sim.handle({
        method: "GET",
        path: "/v1/publisher/stats",
        query: { publisher_id: id },
        headers,
      }),
    impression: (session_id) =>
      post("/v1/impression", { publisher_id: id, surface, ad_id: "ad", session_id }),
    click: (impression_id) => post("/v1/click", { impression_id }),
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
