/**
 * What was done to a simulator, step by step, and how to do it again. Steps are resolved: no step depends on an answer
 * that isn't written in it, so a run can be replayed whole, in part, and in another order.
 */

import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type Publisher,
  type Simulator,
  type SimulatorOptions,
  type Snapshot,
  type SurfaceChange,
} from "../../src/index.ts";

/** One thing done to a simulator. `publisherId`: whom it is about, where it is about one. */
export type Action =
  | { readonly kind: "request"; readonly publisherId: string; readonly request: ApiRequest }
  | { readonly kind: "advance"; readonly byMs: number }
  | { readonly kind: "sign-up"; readonly surfaces: readonly string[] }
  | { readonly kind: "rotate-key"; readonly publisherId: string }
  | {
      readonly kind: "set-surface";
      readonly publisherId: string;
      readonly surfaceId: string;
      readonly change: SurfaceChange;
    }
  | { readonly kind: "snapshot" | "restore" | "fork" | "reset" };

/** An action with when it was done, and the answer where it was a request. */
export interface Step {
  readonly action: Action;
  readonly atMs: number;
  readonly response: ApiResponse | undefined;
}

/** A finished run. `sim` is as the last step left it; who wants to try something forks it. */
export interface Run {
  readonly options: SimulatorOptions;
  readonly steps: readonly Step[];
  readonly sim: Simulator;
  /** The publishers that took part, as they are now. */
  readonly publishers: readonly Publisher[];
  /** A simulator of the same options that nothing was ever recorded in. */
  readonly pristine: Simulator;
}

/** Does actions to one simulator. A fork takes its origin's place. */
export interface Player {
  readonly sim: Simulator;
  readonly steps: readonly Step[];
  play(action: Action): ApiResponse | undefined;
}

export function createPlayer(options: SimulatorOptions, onto?: Simulator): Player {
  let sim = onto ?? createSimulator(options);
  let saved: Snapshot | undefined;
  const steps: Step[] = [];

  function act(action: Action): ApiResponse | undefined {
    switch (action.kind) {
      case "request":
        return sim.handle(action.request);
      case "advance":
        sim.clock.advance(action.byMs);
        return undefined;
      case "sign-up":
        sim.publishers.signUp({ surfaces: action.surfaces });
        return undefined;
      case "rotate-key":
        sim.publishers.rotateKey(action.publisherId);
        return undefined;
      case "set-surface":
        sim.publishers.setSurface(action.publisherId, action.surfaceId, action.change);
        return undefined;
      case "snapshot":
        // Through JSON: a snapshot must not share anything with its origin.
        saved = JSON.parse(JSON.stringify(sim.snapshot()));
        return undefined;
      case "restore":
        if (saved !== undefined) sim.restore(saved);
        return undefined;
      case "fork":
        sim = sim.fork();
        return undefined;
      case "reset":
        sim.reset();
        return undefined;
    }
  }

  return {
    get sim(): Simulator {
      return sim;
    },
    steps,
    play(action) {
      const atMs = sim.clock.now();
      const response = act(action);
      steps.push({ action, atMs, response });
      return response;
    },
  };
}

/** The answers to the requests among `actions`, in a simulator made from `options`. */
export function replay(options: SimulatorOptions, actions: readonly Action[]): Player {
  const player = createPlayer(options);
  for (const action of actions) player.play(action);
  return player;
}

/** Throws what differs first between two lists of answers to the same requests. */
export function sameAnswers(
  rule: string,
  expected: readonly Step[],
  actual: readonly Step[],
  where = "",
): void {
  const left = expected.filter((step) => step.action.kind === "request");
  const right = actual.filter((step) => step.action.kind === "request");
  require(rule, left.length === right.length, `${left.length} answers, then ${right.length}`);
  for (const [index, step] of left.entries()) {
    const before = JSON.stringify(step.response);
    const after = JSON.stringify(right[index]?.response);
    require(rule, before ===
      after, `answer ${index} ${where} to ${JSON.stringify(step.action)}: ${before} became ${after}`);
  }
}

/** Throws unless `held`, naming the rule that is broken. */
export function require(rule: string, held: boolean, what: string): asserts held {
  if (!held) throw new Error(`${rule} is broken: ${what}`);
}

/** Looks at one publisher of a simulator without being limited: asks a fork, with a new key where one is used up. */
export interface Reader {
  readonly sim: Simulator;
  stats(publisherId: string, query?: Readonly<Record<string, string>>): StatsAnswer;
  payouts(publisherId: string): PayoutsAnswer;
  get(publisherId: string, path: string, query?: Readonly<Record<string, string>>): ApiResponse;
}

export interface StatsAnswer {
  readonly text: string;
  readonly period: { readonly from: string; readonly to: string };
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
  readonly surfaces: readonly {
    readonly id: string;
    readonly impressions: number;
    readonly micros: number;
  }[];
}

export interface PayoutsAnswer {
  readonly text: string;
  readonly payouts: readonly {
    readonly id: string;
    readonly date: string;
    readonly micros: number;
    readonly text: string;
  }[];
  readonly pendingMicros: number;
}

export function readerOf(origin: Simulator): Reader {
  const sim = origin.fork();
  const asked = new Map<string, number>();

  function get(
    publisherId: string,
    path: string,
    query: Readonly<Record<string, string>> = {},
  ): ApiResponse {
    const count = asked.get(publisherId) ?? 60;
    const publisher =
      count >= 60 ? sim.publishers.rotateKey(publisherId) : sim.publishers.get(publisherId);
    asked.set(publisherId, count >= 60 ? 1 : count + 1);
    return sim.handle({
      method: "GET",
      path,
      query: { publisher_id: publisherId, ...query },
      headers: { authorization: `Bearer ${publisher.apiKey}` },
    });
  }
  function read(
    publisherId: string,
    path: string,
    query: Readonly<Record<string, string>> | undefined,
  ): string {
    const response = get(publisherId, path, query);
    if (response.status === 200) return response.body;
    throw new Error(`${path} ${JSON.stringify(query)} got ${response.status}: ${response.body}`);
  }

  return {
    sim,
    get,
    stats: (publisherId, query) => statsOf(read(publisherId, "/v1/publisher/stats", query)),
    payouts: (publisherId) =>
      payoutsOf(read(publisherId, "/v1/publisher/payouts", { limit: "100" })),
  };
}

export function statsOf(text: string): StatsAnswer {
  const body = JSON.parse(text);
  return {
    text,
    period: body.period,
    impressions: body.impressions,
    clicks: body.clicks,
    micros: microsOf(body.revenue_inr),
    surfaces: body.surfaces.map((row: { id: string; impressions: number; revenue: number }) => ({
      id: row.id,
      impressions: row.impressions,
      micros: microsOf(row.revenue),
    })),
  };
}

export function payoutsOf(text: string): PayoutsAnswer {
  const body = JSON.parse(text);
  return {
    text,
    payouts: body.payouts.map((payout: { id: string; date: string; amount_inr: number }) => ({
      id: payout.id,
      date: payout.date,
      micros: microsOf(payout.amount_inr),
      text: JSON.stringify(payout),
    })),
    pendingMicros: microsOf(body.pending_inr),
  };
}

/** An amount in INR as whole micros. Throws where a double can't hold it exactly. */
export function microsOf(inr: number): number {
  const micros = Math.round(inr * 1e6);
  if (Number.isSafeInteger(micros)) return micros;
  throw new Error(`${inr} INR is not an amount that can be compared to the micro.`);
}
