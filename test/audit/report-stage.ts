/** A world whose time flows as a test says, and a client's requests to it in the shortest form. */

import {
  type ApiRequest,
  type ApiResponse,
  type ClientReport,
  createSimulator,
  type FindingId,
  type Publisher,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";

export interface Stage {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  /** Lets real time pass. */
  wait(ms: number): void;
  /** The publisher's key is sent, unless the request has headers of its own. */
  send(request: ApiRequest): ApiResponse;
  impression(session: string | undefined, ad?: string, by?: Publisher): ApiResponse;
  click(impressionId: string): ApiResponse;
  stats(query?: Readonly<Record<string, string>>): ApiResponse;
  /** The ids of what was found. */
  found(): FindingId[];
  /** The sequences that prove a finding; none where there isn't one. */
  proving(id: FindingId): readonly number[];
  finding(id: FindingId): ClientReport["findings"][number];
}

export function stageOf(options: SimulatorOptions = {}): Stage {
  let wallMs = 0;
  const sim = createSimulator({
    seed: "report",
    clock: "flowing",
    wallClock: () => wallMs,
    ...options,
  });
  const publisher = sim.publishers.at(0);
  const finding: Stage["finding"] = (id) => {
    const found = sim.report().findings.find((one) => one.id === id);
    if (found === undefined) throw new Error(`${id} was not found`);
    return found;
  };
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  const send: Stage["send"] = (request) => sim.handle({ headers, ...request });
  return {
    sim,
    publisher,
    wait(ms) {
      wallMs += ms;
    },
    send,
    impression(session, ad = "ad-1", by = publisher) {
      const { id, apiKey, surfaces } = by;
      return sim.handle({
        method: "POST",
        path: "/v1/impression",
        headers: { authorization: `Bearer ${apiKey}` },
        body: {
          publisher_id: id,
          surface: surfaces.find(({ status }) => status === "active")?.id,
          ad_id: ad,
          ...(session === undefined ? {} : { session_id: session }),
        },
      });
    },
    click: (impressionId) =>
      send({ method: "POST", path: "/v1/click", body: { impression_id: impressionId } }),
    stats: (query = {}) =>
      send({
        method: "GET",
        path: "/v1/publisher/stats",
        query: { publisher_id: publisher.id, ...query },
      }),
    found: () => sim.report().findings.map(({ id }) => id),
    proving: (id) => sim.report().findings.find((one) => one.id === id)?.sequences ?? [],
    finding,
  };
}

/** The id in the answer to an impression. */
export function impressionIdIn({ body }: ApiResponse): string {
  return (JSON.parse(body) as { readonly impression_id: string }).impression_id;
}
