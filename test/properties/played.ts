/** What the invariants need from a finished run. */

import { type Played, Trace } from "../../src/invariants/client-exchange.ts";
import { type Run, type Step, withoutUndone } from "./run.ts";

/** Without steps that were undone: the others led from the world's start to its state now. */
export function playedIn(run: Run): Played {
  return { ...everythingIn(run), trace: traceOf(run, withoutUndone(run.steps)) };
}

/** With steps that a reset or restore undid, for invariants that judge each answer on its own. */
export function everythingIn(run: Run): Played {
  const { sim, publishers, steps } = run;
  return {
    trace: traceOf(run, steps),
    isExactTime: true,
    members: publishers,
    assumptions: sim.assumptions,
    world: sim,
  };
}

function traceOf({ pristine }: Run, steps: readonly Step[]): Trace {
  const trace = new Trace();
  const { publishers } = pristine;
  for (const publisher of publishers.list({ limit: publishers.total }))
    trace.recordMember(publisher);
  for (const { action, atMs, response, publisher } of steps) {
    if (publisher !== undefined) trace.recordMember(publisher);
    if (action.kind === "set-surface") trace.recordSurface(action.surface, action.change);
    if (action.kind !== "request" || response === undefined) continue;
    const { status, headers, body: text } = response;
    const exchange = { operation: undefined, atMs, request: action.request, latencyMs: 0 };
    trace.observe({ ...exchange, outcome: "answered", status, headers, text });
  }
  return trace;
}
