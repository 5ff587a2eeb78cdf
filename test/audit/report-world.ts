/** A world whose time advances as a test says, with short forms for a client's requests. */

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
import { senderOf } from "../sender.ts";

export interface ReportWorld {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  /** Advances real time. */
  wait(ms: number): void;
  /** The publisher's key is sent unless the request has its own headers. */
  send(request: ApiRequest): ApiResponse;
  impression(session: string | undefined, ad?: string, by?: Publisher): ApiResponse;
  click(impressionId: string): ApiResponse;
  stats(query?: Readonly<Record<string, string>>): ApiResponse;
  /** The ids of the findings. */
  found(): FindingId[];
  /** The sequence numbers that prove a finding; empty without a finding. */
  proving(id: FindingId): readonly number[];
  finding(id: FindingId): ClientReport["findings"][number];
}

export function reportWorldOf(options: SimulatorOptions = {}): ReportWorld {
  let wallMs = 0;
  const sim = createSimulator({
    seed: "report",
    clock: "flowing",
    wallClock: () => wallMs,
    ...options,
  });
  const publisher = sim.publishers.at(0);
  const finding: ReportWorld["finding"] = (id) => {
    const found = sim.report().findings.find((one) => one.id === id);
    if (found === undefined) throw new Error(`${id} was not found`);
    return found;
  };
  const { send, get, post } = senderOf(sim, publisher);
  return {
    sim,
    publisher,
    wait(ms) {
      wallMs += ms;
    },
    send,
    impression(session, ad = "ad-1", by = publisher) {
      const surface = by.surfaces.find(({ status }) => status === "active")?.id;
      const shown = session === undefined ? {} : { session_id: session };
      return senderOf(sim, by).impression({ surface, ad_id: ad, ...shown });
    },
    click: (impression_id) => post("click", { impression_id }),
    stats: (query) => get("stats", query),
    found: () => sim.report().findings.map(({ id }) => id),
    proving: (id) => sim.report().findings.find((one) => one.id === id)?.sequences ?? [],
    finding,
  };
}
