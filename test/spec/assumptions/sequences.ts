/** For every assumption a short sequence of requests that tells all its choices apart. */

import type { ApiRequest, ApiResponse, Publisher, Simulator } from "../../../src/index.ts";
import type { AssumptionKey } from "../../../src/spec/assumptions/catalogue.ts";
import { impressionIdIn, type Sender, senderOf } from "../../sender.ts";

/** One world, and what it answered so far. All requests are the first publisher's. */
export interface Session extends Omit<Sender, "impression"> {
  readonly sim: Simulator;
  /** Its ids are this world's. */
  readonly publisher: Publisher;
  readonly answers: readonly ApiResponse[];
  /** Records an impression. @returns its id, if it has one. */
  impression(fields?: Readonly<Record<string, unknown>>): string;
}

export function createSession(sim: Simulator): Session {
  const answers: ApiResponse[] = [];
  const publisher = sim.publishers.at(0);
  const handle = (request: ApiRequest): ApiResponse => {
    const answer = sim.handle(request);
    answers.push(answer);
    return answer;
  };
  const sender = senderOf({ handle }, publisher);
  const impression: Session["impression"] = (fields) => impressionIdIn(sender.impression(fields));
  return { ...sender, sim, publisher, answers, impression };
}

export type Sequence = (session: Session) => void;

const withoutKey: Sequence = ({ send }) => {
  send({ method: "GET", path: "/v1/publisher/stats", headers: {} });
};

const overTheLimit: Sequence = ({ get }) => {
  for (let sent = 0; sent <= 60; sent += 1) get("stats");
};

function ask(...asked: Parameters<Sender["get"]>): Sequence {
  return ({ get }) => void get(...asked);
}

export const sequences: Readonly<Record<AssumptionKey, Sequence>> = {
  "request.encoding": ({ publisher, send }) => {
    const fields = {
      publisher_id: publisher.id,
      surface: publisher.surfaces[0]?.id ?? "",
      ad_id: "a",
    };
    const pairs = new URLSearchParams(fields).toString();
    const authorization = `Bearer ${publisher.apiKey}`;
    const form = { authorization, "content-type": "application/x-www-form-urlencoded" };
    const post = { method: "POST", path: "/v1/impression" };
    send({ ...post, body: fields });
    send({ ...post, headers: form, body: pairs });
    send({ ...post, query: pairs });
  },
  "request.values": ({ impression }) => {
    impression({ colour: "red" });
  },
  "auth.failure": withoutKey,
  "auth.key-scope": ({ sim, get }) => {
    get("stats", { publisher_id: sim.publishers.at(1).id });
  },
  "errors.body": withoutKey,
  "errors.invalid": ask("stats", { from: "yesterday" }),
  "http.cors": ({ send }) => {
    const origin = "http://localhost:5173";
    const asking = { origin, "access-control-request-method": "GET" };
    send({ method: "OPTIONS", path: "/v1/publisher/stats", headers: asking });
    send({ method: "GET", path: "/v1/publisher/stats", headers: { origin } });
    send({ method: "GET", path: "/v1/publisher/stats", headers: {} });
  },
  "limit.algorithm": ({ sim, get }) => {
    // Half of the quota at 0:30 and half at 0:40; then at 1:00, when a minute begins, and at 1:15 and 1:30.
    const steps = [
      ["30s", 30],
      ["10s", 30],
      ["20s", 1],
      ["15s", 1],
      ["15s", 1],
    ] as const;
    for (const [wait, times] of steps) {
      sim.clock.advance(wait);
      for (let sent = 0; sent < times; sent += 1) get("surfaces");
    }
  },
  "limit.exceeded": overTheLimit,
  "limit.retry-after": overTheLimit,
  "limit.recording-pool": ({ impression, post }) => {
    post("click", { impression_id: impression() });
  },
  "limit.reporting-endpoints": ({ get }) => {
    get("stats");
    get("surfaces");
  },
  "dedup.key": ({ publisher, impression }) => {
    impression({ session_id: "s" });
    impression({ session_id: "s", ad_id: "another" });
    impression({ session_id: "s", surface: publisher.surfaces[1]?.id });
  },
  "dedup.window": ({ sim, impression }) => {
    impression({ session_id: "s" });
    sim.clock.advance("31m");
    impression({ session_id: "s" });
    sim.clock.advance("25h");
    impression({ session_id: "s" });
  },
  "dedup.repeat": ({ impression }) => {
    impression({ session_id: "s" });
    impression({ session_id: "s" });
  },
  "click.unknown": ({ post }) => {
    post("click", { impression_id: "nothing" });
  },
  "click.repeat": ({ impression, post }) => {
    const impression_id = impression();
    post("click", { impression_id });
    post("click", { impression_id });
  },
  "click.window": ({ sim, impression, post }) => {
    const impression_id = impression();
    sim.clock.advance("1d");
    post("click", { impression_id });
  },
  "surface.unknown": ask("stats", { surface: "nowhere" }),
  "surface.inactive": ({ sim, publisher, impression }) => {
    sim.publishers.setSurface(publisher.id, publisher.surfaces[0]?.id ?? "", { status: "paused" });
    impression();
  },
  "surface.statuses": ask("surfaces"),
  "payout.statuses": ask("payouts"),
  "payout.limit-over-max": ask("payouts", { limit: "101" }),
  "payout.order": ask("payouts"),
  "date.timezone": ({ sim, get }) => {
    sim.clock.advance("20h");
    get("stats");
  },
  "date.inverted-range": ask("stats", { from: "2026-01-02", to: "2026-01-01" }),
  "stats.today": ({ impression, get }) => {
    impression();
    get("stats");
  },
  "stats.surfaces": ask("stats", { from: "2026-01-15" }),
  "ids.format": ask("surfaces"),
  "money.precision": ({ impression }) => {
    impression();
    impression();
  },
  "response.form": ask("surfaces"),
};
