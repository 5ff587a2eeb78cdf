/** A world, its trace, and a client that plays a session in it. A lie changes what the world answers. */

import {
  type ApiRequest,
  type ApiResponse,
  type Choices,
  createSimulator,
  type Simulator,
} from "../../src/index.ts";
import { type ClientExchange, exchangeOf, Trace } from "../../src/invariants/client-exchange.ts";
import { type InvariantResult, judgeInvariants } from "../../src/invariants/invariants.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import { impressionIdIn, senderOf } from "../sender.ts";

type Audit = ReturnType<SimulatorCore["audit"]>;

/** An answer on its way to the client. */
export interface Told extends Pick<ClientExchange, "request" | "status" | "headers" | "text"> {
  /** The world that answered. */
  readonly sim: SimulatorCore;
  /** How many answers there were before. */
  readonly place: number;
}

export interface Lie {
  answer?(told: Told): Partial<Pick<Told, "status" | "headers" | "text">>;
  audit?(audit: Audit): Partial<Audit>;
}

export interface StageOptions {
  readonly assumptions?: Choices;
  readonly lie?: Lie;
  /** Judged as another service: by the answers alone. */
  readonly isForeign?: boolean;
}

export interface Stage {
  readonly sim: Simulator;
  readonly trace: Trace;
  handle(request: ApiRequest): ApiResponse;
  check(ids?: readonly string[]): readonly InvariantResult[];
}

export function stageOf({ assumptions = {}, lie = {}, isForeign = false }: StageOptions): Stage {
  const sim = createSimulator({ assumptions });
  const world = lying(sim, lie);
  const trace = new Trace();
  const members = sim.publishers.list({ limit: 3 });
  for (const member of members) trace.recordMember(member);
  return {
    sim,
    trace,
    handle(request) {
      const response = world.handle(request);
      const outgoing = { operation: undefined, request, timeoutMs: 10_000 };
      trace.observe(exchangeOf(outgoing, response, sim.clock.now()));
      return response;
    },
    check(ids) {
      const known = isForeign
        ? { assumptions: undefined, world: "the target can't make a copy of the world" }
        : { assumptions: sim.assumptions, world };
      return [...judgeInvariants({ trace, isExactTime: !isForeign, members, ...known }, ids)];
    },
  };
}

/** The world and its forks, with changed answers and audits. */
function lying(sim: SimulatorCore, lie: Lie): SimulatorCore {
  let place = 0;
  const own: Partial<SimulatorCore> = {
    handle(request) {
      const { status, headers, body: text, delivery } = sim.handle(request);
      const told = { request, status, headers, text, sim, place };
      place += 1;
      const { text: body, ...head } = { status, headers, text, ...lie.answer?.(told) };
      return { ...head, body, delivery };
    },
    audit: () => ({ ...sim.audit(), ...lie.audit?.(sim.audit()) }),
    fork: () => lying(sim.fork(), lie),
  };
  return new Proxy(sim, { get: (target, name) => Reflect.get(name in own ? own : target, name) });
}

/** Something for every invariant to look at: repeats, clicks, refusals, a limit that is reached, days that pass. */
export function playSession(stage: Stage): void {
  const { clock, publishers } = stage.sim;
  const own = senderOf(stage, publishers.at(0));
  const other = senderOf(stage, publishers.at(1));
  const surface = publishers.at(0).surfaces[0]?.id ?? "none";
  for (const session_id of ["a", "b", "a"]) {
    for (const client of [own, other]) {
      const impression_id = impressionIdIn(client.impression({ session_id }));
      for (let sent = 0; sent < 2; sent += 1) client.post("click", { impression_id });
    }
    clock.advance("20h");
    for (const what of ["stats", "surfaces", "payouts"] as const) own.get(what);
    own.get("stats", { surface });
  }
  own.send({ method: "HEAD", path: "/v1/publisher/stats" });
  own.send({ method: "GET", path: "/v1/nothing" });
  own.impression({ surface: "nowhere" });
  own.get("payouts", { publisher_id: publishers.at(1).id });
  for (let sent = 0; sent < 62; sent += 1) own.get("stats");
}
