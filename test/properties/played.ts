/** What the laws need from a finished run: what was done in it, and how to do that again. */

import { createSimulator, type SimulatorOptions } from "../../src/index.ts";
import type { Played } from "../../src/laws/law.ts";
import type { WorldAction } from "../../src/laws/rerun-plan.ts";
import { createTrace, type Trace } from "../../src/laws/trace.ts";
import { type Run, type Step, withoutUndone } from "./run.ts";

/** Without steps that were undone: the others led from the world's start to its state now. */
export function playedIn(run: Run): Played {
  const steps = withoutUndone(run.steps);
  const actions = steps.flatMap((step) => deedOf(step) ?? []);
  const { options, sim } = run;
  return {
    ...everythingIn(run),
    trace: traceOf(run, steps),
    rerunPlan: {
      options,
      create: (made: SimulatorOptions) => createSimulator(made),
      actions,
      missing: undefined,
      untilMs: sim.clock.now(),
    },
  };
}

/** With steps that a reset or restore undid, for laws that judge each answer on its own. */
export function everythingIn(run: Run): Played {
  const { sim } = run;
  return {
    trace: traceOf(run, run.steps),
    isExactTime: true,
    members: run.publishers,
    readings: sim.assumptions,
    world: sim,
    rerunPlan: "what was undone isn't done again",
    journal: () => sim.journal.entries({ limit: 1000 }),
    sampleSize: Number.POSITIVE_INFINITY,
  };
}

function traceOf({ pristine }: Run, steps: readonly Step[]): Trace {
  const trace = createTrace();
  const { publishers } = pristine;
  for (const publisher of publishers.list({ limit: publishers.total }))
    trace.recordMember(publisher);
  for (const { action, atMs, response, about, publisher } of steps) {
    if (publisher !== undefined) trace.recordMember(publisher);
    if (action.kind === "set-surface")
      trace.recordSurface(action.publisher, action.surface, action.change);
    if (action.kind !== "request" || response === undefined) continue;
    const { status, headers, body: text } = response;
    const exchange = { operation: undefined, atMs, request: action.request, latencyMs: 0 };
    const seen = { ...exchange, outcome: "answered", status, headers, text } as const;
    trace.observe(seen, about);
  }
  return trace;
}

/** Undefined for a step that needs no repeating: an advance is implied by the time of the next action, and resets undo steps. */
function deedOf({ action, atMs, publisher }: Step): WorldAction | undefined {
  switch (action.kind) {
    case "advance":
    case "snapshot":
    case "restore":
    case "reset":
      return undefined;
    case "sign-up":
      return { ...action, atMs, publisher: publisher?.id ?? "" };
    default:
      return { ...action, atMs };
  }
}
