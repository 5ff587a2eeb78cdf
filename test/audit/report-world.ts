/** A world whose time advances as a test says, with short forms for a client's requests. */

import { deriveKey, drawFraction } from "../../src/base/random.ts";
import type { FaultRule } from "../../src/faults/rule.ts";
import type { Verdict } from "../../src/faults/verdict.ts";
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
  /** Sends impressions 200 ms apart: `a b@2 - 5s` are sessions (with an ad), none, and a wait. */
  show(script: string): void;
  /** Sends one event again after each of these pauses. */
  retry(pauses: readonly number[], session?: string): void;
  /** Does something so many times, with a wait after each. */
  repeat(count: number, ms: number, act: (time: number) => unknown): void;
  /** Finding → the sequence numbers that prove it. */
  found(): Partial<Record<FindingId, readonly number[]>>;
  /** Fails without this finding. */
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
  const { send, get, post } = senderOf(sim, publisher);
  const stage: ReportWorld = {
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
    show(script) {
      for (const word of script.split(" ")) {
        const [session, ad] = word.split("@");
        if (/^\d+s$/.test(word)) stage.wait(Number.parseInt(word, 10) * 1000);
        else stage.impression(session === "-" ? undefined : session, ad);
        stage.wait(200);
      }
    },
    retry(pauses, session = "a") {
      for (const pause of [0, ...pauses]) {
        stage.wait(pause);
        stage.impression(session);
      }
    },
    repeat(count, ms, act) {
      for (let time = 0; time < count; time += 1) {
        act(time);
        stage.wait(ms);
      }
    },
    found: () =>
      Object.fromEntries(sim.report().findings.map(({ id, sequences }) => [id, sequences])),
    finding(id) {
      const found = sim.report().findings.find((one) => one.id === id);
      if (found === undefined) throw new Error(`${id} was not found`);
      return found;
    },
  };
  return stage;
}

/** Numbers from 0 up to but excluding 1 that follow from a seed. */
export function randomOf(seed: string): () => number {
  const key = deriveKey(seed);
  let drawn = 0;
  return () => {
    drawn += 1;
    return drawFraction(key, drawn);
  };
}

export const from2 = (count: number): readonly number[] =>
  Array.from({ length: count - 1 }, (_, index) => index + 2);

/** What a rule does to the requests with these numbers, or to all. */
export function on(verdict: Verdict, ...nth: readonly number[]): FaultRule {
  return nth.length === 0 ? { verdict } : { match: { nth }, verdict };
}

export const lose: Verdict = { kind: "lose-response" };
export const drop: Verdict = { kind: "drop" };

export function answer(status: number, retryAfter?: string): Verdict {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return { kind: "respond", status, headers };
}
