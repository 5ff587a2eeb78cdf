/**
 * Names the choices that failed expectations rest on. The specification leaves much open, and an expectation at another
 * service may fail only because the service chose otherwise.
 */

import { createSimulatorCore } from "../../../simulator/core.ts";
import type { Choices } from "../../../simulator/simulator-options.ts";
import { type AssumptionKey, catalogue } from "../../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../../spec/assumptions/resolve.ts";
import { fakerHost } from "../../../world/publishers/people.ts";
import { countRequests } from "../../scenario/count-requests.ts";
import type { Scenario } from "../../scenario/types.ts";
import { concludeAgain } from "../player/conclude.ts";
import type { Capabilities } from "../player/effects.ts";
import { play } from "../player/play.ts";
import { driveAtOnce, performersOn, worldOf } from "../player/play-in-process.ts";
import type { PlayResult, StepResult } from "../player/result.ts";

/** A scenario with more requests isn't played again here. */
const MAX_REQUESTS = 50_000;

/** The result, with the choices that are assumed and not known. `capabilities`: those of the service. */
export function nameChoices(
  result: PlayResult,
  scenario: Scenario,
  capabilities: Capabilities,
): PlayResult {
  const hasFailed = result.steps.some(({ result }) => result === "failed");
  if (!hasFailed || countRequests(scenario) > MAX_REQUESTS) return result;
  const { knownChoices = {} } = capabilities;
  const assumptions = resolveAssumptions({ ...scenario.assumptions, ...knownChoices });
  const played = playHere(scenario, assumptions, capabilities);
  const keysByPath = keysThatShape(played);
  const steps = result.steps.map((step): StepResult => {
    const restsOn = (keysByPath.get(step.path) ?? [])
      .filter((key) => knownChoices[key] === undefined)
      .map((key) => `${key}=${assumptions[key]}`);
    if (restsOn.length === 0) return step;
    const checks = step.checks.map((check) =>
      check.result === "failed" && check.invariant === undefined ? { ...check, restsOn } : check,
    );
    return { ...step, checks };
  });
  return concludeAgain({ ...result, steps });
}

/** Plays the same requests at an adsim in this process, whose answers say which assumptions shaped them. */
function playHere(
  scenario: Scenario,
  assumptions: Choices,
  capabilities: Capabilities,
): PlayResult {
  const world = { ...worldOf(scenario), assumptions, faults: [], explain: true, journalEntries: 0 };
  const playing = play(scenario, {
    capabilities,
    target: { kind: "service", url: undefined },
    reproduce: "",
  });
  return driveAtOnce(playing, performersOn(createSimulatorCore(world, fakerHost)));
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
