/** Requests of one publisher of a simulator, in short form. */

import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type Publisher,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { senderOf } from "../sender.ts";

export interface TestClient {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  /** Sends a request with the publisher's key, unless it has headers of its own. */
  send(request: ApiRequest): ApiResponse;
  get(path: string, query?: ApiRequest["query"]): ApiResponse;
  post(path: string, body: ApiRequest["body"]): ApiResponse;
  /** Parameters of an impression on the publisher's first surface. */
  readonly shown: {
    readonly publisher_id: string;
    readonly surface: string;
    readonly ad_id: string;
  };
}

export function createTestClient(
  assumptions: SimulatorOptions["assumptions"] = {},
  seed = "ask",
): TestClient {
  const sim = createSimulator({ seed, assumptions });
  const publisher = sim.publishers.at(0);
  const { send } = senderOf(sim, publisher);
  return {
    sim,
    publisher,
    send,
    get: (path, query = { publisher_id: publisher.id }) => send({ method: "GET", path, query }),
    post: (path, body) => send({ method: "POST", path, body }),
    shown: {
      publisher_id: publisher.id,
      surface: publisher.surfaces[0]?.id ?? "",
      ad_id: "ad",
    },
  };
}
