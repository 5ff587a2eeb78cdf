/** Writes down worlds as a {@link Trace}: everything that their histories can still rebuild. */

import { formatInstant } from "../base/calendar.ts";
import { InputError } from "../base/input.ts";
import type { Script } from "../simulator/moment.ts";
import type { Host } from "../simulator/running-world.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import type { Trace, TracedOptions, WorldTrace } from "./trace-form.ts";
import { createPeople } from "./trace-people.ts";
import { createRequestTracer } from "./trace-request.ts";
import { hiddenRule } from "./trace-rules.ts";
import { createHiders, type HiderOf } from "./trace-secrets.ts";
import { createStepWriter, type Hiding, tracedState } from "./trace-steps.ts";

export interface TracedWorld {
  readonly name: string;
  readonly world: HostedCore;
}

export interface LeftOutWorld {
  readonly name: string;
  readonly why: string;
}

/**
 * A trace of worlds that were made from the same options. Leaves out those that can't be traced.
 *
 * @throws InputError if none can: for a world without a journal, or with too many events to copy.
 */
export function traceOf(
  worlds: readonly [TracedWorld, ...TracedWorld[]],
  { title, host }: { readonly title: string; readonly host: Pick<Host, "people"> },
): { readonly trace: Trace; readonly leftOut: readonly LeftOutWorld[] } {
  const people = createPeople(host);
  const hiderOf = createHiders();
  const hiding: Hiding = { hiderOf, tracer: createRequestTracer(hiderOf) };
  const leftOut: LeftOutWorld[] = [];
  const given = tracedOptions(worlds[0].world);
  const options = { ...given, faults: hiddenFaults(given, hiderOf) };
  const hasHiddenFaults = JSON.stringify(options.faults) !== JSON.stringify(given.faults);
  const traced = worlds.flatMap(({ name, world }): readonly WorldTrace[] => {
    try {
      const scripts = scriptsOf(world);
      for (const script of scripts) people.note(script, world);
      const one = worldTrace(name, world, scripts, hiding);
      return [{ ...one, hasHiddenTexts: one.hasHiddenTexts || hasHiddenFaults }];
    } catch (error) {
      if (!(error instanceof InputError) || worlds.length === 1) throw error;
      leftOut.push({ name, why: error.message });
      return [];
    }
  });
  const trace = { title, options, worlds: traced, people: people.all() };
  return { trace, leftOut };
}

function tracedOptions({ options }: HostedCore): TracedOptions {
  const { settings, clock, explain, cors, journalEntries, faults } = options;
  const { startMs, ...others } = settings;
  return {
    ...others,
    start: formatInstant(startMs),
    clock,
    explain,
    cors,
    journalEntries,
    faults: faults.map((rule) => (typeof rule === "function" ? null : rule)),
  };
}

/** Rules without secrets. A world that begins with its options begins with these. */
function hiddenFaults(
  { faults, ...world }: TracedOptions,
  hiderOf: HiderOf,
): TracedOptions["faults"] {
  const hider = hiderOf(world);
  return faults.map((rule) => rule && hiddenRule(rule, hider));
}

/** What leads to the present, oldest first. Each but the first begins where the world's state was replaced. */
function scriptsOf(world: HostedCore): readonly [Script, ...Script[]] {
  if (world.journal.isOff) {
    throw new InputError(
      "journalEntries",
      "must not be 0 (nor journalBytes): a trace is made from the journal",
    );
  }
  try {
    return world.history.scriptsToNow();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // No entry can be rebuilt: the trace begins with the present state.
    const script = world.fork().history.scriptOf("now");
    return [{ ...script, from: { ...script.from, sequence: world.journal.total } }];
  }
}

function worldTrace(
  name: string,
  world: HostedCore,
  scripts: readonly [Script, ...Script[]],
  hiding: Hiding,
): WorldTrace {
  const { journal, clock, seed, usage } = world;
  const { from } = scripts[0];
  const nowMs = clock.now();
  const writer = createStepWriter(from.copy, hiding);
  const begin = writer.begun(beginOf(from));
  for (const [index, { from, steps }] of scripts.entries()) {
    if (index > 0) writer.replaced(from.copy);
    for (const [at, step] of steps.entries()) writer.step(step, steps[at + 1]);
  }
  return {
    name,
    summary: { name, seed, now: formatInstant(nowMs), requests: journal.total, ...usage() },
    begin,
    first: from.sequence,
    leftOut: Math.max(0, from.sequence - (journal.total - journal.kept)),
    nowMs,
    ...writer.written(),
  };
}

function beginOf({ isStart, sequence, copy }: Script["from"]): WorldTrace["begin"] {
  const { seed, clock } = copy.state;
  return isStart && sequence === 0
    ? { kind: "options", seed, nowMs: clock.now }
    : { kind: "state", state: tracedState(copy) };
}
