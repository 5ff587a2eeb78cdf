/** The laws of determinism that can be tried in one process (R1, R2, R3, R8), and what a reading may not change. */

import { createSimulator } from "../../../src/index.ts";
import {
  createPlayer,
  halves,
  type Run,
  replay,
  require,
  sameAnswers,
  withoutTimeTravel,
} from "../run.ts";
import { concerns, groupsOf } from "./isolation.ts";

/** Same inputs, same bytes: the same run twice in this process. */
export function R1(run: Run): void {
  const again = replay(
    run.options,
    run.steps.map(({ action }) => action),
  );
  sameAnswers("R1", run.steps, again.steps);
  const same = JSON.stringify(again.sim.snapshot()) === JSON.stringify(run.sim.snapshot());
  require("R1", same, "the states differ");
}

/** Snapshot, continue ≡ continue. */
export function R2(run: Run): void {
  const [first, following] = halves(withoutTimeTravel(run).steps);
  const origin = replay(run.options, first);
  const copy = createSimulator();
  copy.restore(JSON.parse(JSON.stringify(origin.sim.snapshot())));
  const continued = createPlayer(run.options, origin.sim);
  const restored = createPlayer(run.options, copy);
  for (const action of following) {
    continued.play(action);
    restored.play(action);
  }
  sameAnswers("R2", continued.steps, restored.steps);
  const [one, other] = [continued.sim, restored.sim].map((sim) => JSON.stringify(sim.snapshot()));
  require("R2", one === other, "the states differ");
}

/** A fork and its origin don't affect each other. */
export function R3(run: Run): void {
  const [first, following] = halves(withoutTimeTravel(run).steps);
  const origin = replay(run.options, first).sim;
  const alone = JSON.stringify(origin.snapshot());
  const fork = createPlayer(run.options, origin.fork());
  for (const action of following) fork.play(action);
  const untouched = JSON.stringify(origin.snapshot()) === alone;
  require("R3", untouched, "what a fork did shows in its origin");
  const after = JSON.stringify(fork.sim.snapshot());
  const continued = createPlayer(run.options, origin);
  for (const action of following) continued.play(action);
  sameAnswers("R3", fork.steps, continued.steps);
  const same = JSON.stringify(fork.sim.snapshot()) === after;
  require("R3", same, "what an origin did shows in its fork");
}

/**
 * N replicas behind a hash on Authorization ≡ one server. Where any key serves every publisher, a key isn't enough to
 * hash on: publishers whose keys were used for one another have to be on one replica.
 */
export function R8(run: Run): void {
  const groups = groupsOf(run);
  for (const replica of [0, 1]) {
    const own = new Set(
      groups.filter((_, index) => index % 2 === replica).flatMap((ids) => [...ids]),
    );
    const steps = run.steps.filter(({ action }) => concerns(action, own));
    const alone = replay(
      run.options,
      steps.map(({ action }) => action),
    );
    sameAnswers("R8", steps, alone.steps, `of replica ${replica}`);
  }
}
