/**
 * Names the choices that failed expectations rest on. The specification leaves much open, and an expectation at another
 * service may fail only because the service chose otherwise.
 */

import { createSimulatorCore } from "../../simulator/core.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import { countRequests } from "../scenario/parse-scenario.ts";
import type { Scenario } from "../scenario/types.ts";
import type { Turns } from "../targets/turns.ts";
import { worldTarget } from "../targets/world-target.ts";
import { concludeAgain } from "./conclude.ts";
import { play } from "./play.ts";
import type { Check, PlayResult, StepResult } from "./result.ts";

/** A scenario with more requests isn't played again. */
const MAX_REQUESTS = 500_000;

/** The result, with the choices that are assumed and not known. */
export async function nameChoices(
  played: PlayResult,
  scenario: Scenario,
  { knownChoices = {}, turns }: { readonly knownChoices?: Choices | undefined; turns: Turns },
): Promise<PlayResult> {
  const hasFailed = played.steps.some(({ result }) => result === "failed");
  if (!hasFailed || countRequests(scenario) > MAX_REQUESTS) return played;
  const assumptions = resolveAssumptions({ ...scenario.assumptions, ...knownChoices });
  const keysByPath = keysThatShape(await playHere(scenario, assumptions, turns));
  const steps = played.steps.map((step): StepResult => {
    const restsOn = (keysByPath.get(step.path) ?? [])
      .filter((key) => knownChoices[key] === undefined)
      .map((key) => `${key}=${assumptions[key]}`);
    if (restsOn.length === 0) return step;
    const checks = step.checks.map((check) =>
      check.result === "failed" && isOfAnswer(check) ? { ...check, restsOn } : check,
    );
    return { ...step, checks };
  });
  return concludeAgain({ ...played, steps });
}

/** Whether a service came, and what invariants say, rests on no choice. */
function isOfAnswer({ invariant, about }: Check): boolean {
  return invariant === undefined && !about.endsWith(" outcome");
}

/** Plays the same requests at an adsim in this process, whose answers say which assumptions shaped them. */
function playHere(scenario: Scenario, assumptions: Choices, turns: Turns): Promise<PlayResult> {
  const { seed, start, publishers, profile } = scenario;
  const settings = { seed, start, publishers, profile, assumptions, clock: "frozen" } as const;
  const world = createSimulatorCore({ ...settings, explain: true, journalEntries: 0 }, fakerHost);
  const asService = { ...worldTarget(world, turns), control: undefined };
  return play(scenario, asService, { turns, reproduce: "" });
}

/**
 * By the step's path. What is read also depends on what shaped the answers before it, because they tell what was recorded: it
 * may name a key too many.
 */
function keysThatShape({ steps }: PlayResult): ReadonlyMap<string, readonly AssumptionKey[]> {
  const before = new Set<AssumptionKey>();
  const byPath = new Map<string, readonly AssumptionKey[]>();
  for (const { path, exchange } of steps) {
    const named = exchange?.headers["x-adsim-assumptions"]?.split(", ") ?? [];
    const own = named.filter((name): name is AssumptionKey => Object.hasOwn(catalogue, name));
    for (const key of own) before.add(key);
    byPath.set(path, exchange?.request.method === "POST" ? own : Array.from(before));
  }
  return byPath;
}
