/** Plays scenarios in real time at a service that isn't adsim. */

import { MINUTE_MS } from "../../../base/duration.ts";
import { InputError } from "../../../base/input.ts";
import { resolveAssumptions } from "../../../spec/assumptions/resolve.ts";
import { encodingOf } from "../../../spec/build-request.ts";
import { readableDuration } from "../../measure/quantities.ts";
import type { Scenario } from "../../scenario/types.ts";
import { type PlayOptions, play } from "../player/play.ts";
import type { PlayResult } from "../player/result.ts";
import { drive, performWith, unlessAborted } from "./drive.ts";
import { nameChoices } from "./rests-on.ts";
import { planAtService, type ServicePlan } from "./service-plan.ts";
import { openServiceTarget } from "./service-target.ts";
import type { ServiceOptions } from "./target.ts";
import { readTargetUrl } from "./target-url.ts";

export interface PlayAtServiceOptions extends Omit<ServiceOptions, "plan"> {
  readonly target: string | URL;
  /** As in `playScenario`. */
  readonly runId?: string | undefined;
  readonly wait?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: PlayOptions["onStep"];
  /** The `reproduce` line of each result. */
  readonly reproduce: readonly string[];
  /** Called with each result as it comes. */
  readonly onResult?: ((result: PlayResult) => void) | undefined;
}

/**
 * Plays parsed scenarios one after the other, in real time.
 *
 * @throws InputError (as a rejection) for wrong options; Error that says what to do if the service can't be reached.
 */
export async function playAtService(
  scenarios: readonly Scenario[],
  options: PlayAtServiceOptions,
): Promise<readonly PlayResult[]> {
  const { speed, knownChoices = {}, signal, onStep } = options;
  const runId = options.runId ?? randomRunId();
  const assumptions = resolveAssumptions(knownChoices);
  const plans = scenarios.map((one) => planAtService(one, { speed, knownChoices }));
  refuseLongWait(plans, options);
  checkRunId(runId);
  const url = readTargetUrl(options.target);
  const asking = plans.filter(({ asksSurfaces }) => asksSurfaces);
  const opening = openServiceTarget(url, {
    ...options,
    plan: {
      asksSurfaces: asking.length > 0,
      reads: asking.reduce((sum, { reads }) => sum + reads, 0),
    },
  });
  const target = await unlessAborted(signal, opening, (late) => late.close());
  const { capabilities, description, performers } = target;
  const results: PlayResult[] = [];
  try {
    for (const ordinal of Array(Math.max(0, ...plans.map((plan) => plan.publishers))).keys())
      await unlessAborted(signal, performWith(performers, { kind: "member", ordinal }));
    for (const [index, scenario] of scenarios.entries()) {
      // Scenarios use the same session ids.
      const ownId = scenarios.length === 1 ? runId : `${runId}-${index + 1}`;
      const sending = { runId: ownId, encoding: encodingOf(assumptions) };
      const reproduce = options.reproduce[index] ?? "";
      const playing = play(scenario, {
        capabilities,
        sending,
        target: description,
        reproduce,
        onStep,
      });
      const played = await unlessAborted(signal, drive(playing, performers));
      const result = nameChoices(played, scenario, capabilities);
      results.push(result);
      options.onResult?.(result);
    }
    return results;
  } finally {
    await target.close();
  }
}

/** Eight characters are enough: run ids only have to differ from those of earlier runs at the same service. */
function randomRunId(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** @throws InputError unless every service can take it as a part of a session id. */
function checkRunId(runId: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(runId)) return;
  throw new InputError("runId", "must be 1 to 64 letters, digits, hyphens and underscores");
}

function refuseLongWait(
  plans: readonly ServicePlan[],
  { wait }: { readonly wait?: boolean | undefined },
): void {
  const totalMs = plans.reduce((sum, plan) => sum + plan.totalMs, 0);
  if (totalMs <= MINUTE_MS || wait === true) return;
  throw new InputError(
    "wait",
    `must be given: this takes ${readableDuration(totalMs)}, since time is real at a service other than adsim`,
  );
}
