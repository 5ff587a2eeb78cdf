/** Plays in a world of this process: nothing waits, and the clock follows the scenario. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { exchangeOf } from "../../invariants/client-exchange.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { playClockTraffic } from "./play-traffic.ts";
import type { Target } from "./target.ts";
import type { Turns } from "./turns.ts";

export function worldTarget(sim: SimulatorCore, turns: Turns): Target {
  const send: Target["send"] = (outgoing) =>
    exchangeOf(outgoing, sim.handle(outgoing.request), sim.clock.now());
  const wait = (ms: number): void => void sim.clock.advance(ms);

  return {
    kind: "in-process",
    url: undefined,
    time: { kind: "virtual" },
    now: () => sim.clock.now(),
    member: (ordinal) => (ordinal < sim.publishers.total ? sim.publishers.at(ordinal) : undefined),
    send,
    wait,
    traffic: (order) => playClockTraffic(order, { send, wait, turns }),
    control: {
      world: () => sim,
      assume: (choices) => sim.assume(choices),
      fault: (rule) => sim.faults.add(rule).rule.id,
      rules: () => sim.faults.list(),
      heal(ids) {
        if (ids === undefined) sim.faults.clear();
        for (const id of ids ?? []) {
          if (sim.faults.remove(id)) continue;
          const known = sim.faults.list().map((rule) => rule.id);
          const wrong = `is not the id of an existing fault rule.${didYouMean(id, known)}`;
          throw new InputError(id, wrong, "not-found");
        }
      },
      signUp: (request) => sim.publishers.signUp(request),
      setSurface: (publisher, surface, change) =>
        sim.publishers.setSurface(publisher, surface, change),
      rotateKey: (publisher) => sim.publishers.rotateKey(publisher),
      journal: (limit) => sim.journal.entries({ limit }),
    },
  };
}
