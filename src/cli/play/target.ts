/** The options of `adsim play` that are about a target, and which of them go together. */

import type { Choices } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import type { playOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { wrongUsage } from "../output/exit.ts";
import { type GivenPublisher, givenPublishers } from "./credentials.ts";

export type PlayFlags = FlagsOf<typeof playOptions>;

export interface TargetGiven {
  /** Undefined for a play in this process. */
  readonly target: string | undefined;
  /** Whether it is played as a service that isn't adsim. */
  readonly isService: boolean;
  readonly credentials: readonly GivenPublisher[];
  /** What such a service chooses. Assumptions can't be changed there. */
  readonly knownChoices: Choices;
  /** The flags that override the scenario's own settings. */
  readonly overrides: PlayFlags;
}

/** @throws CommandFailure for options that don't go together, InputError for a wrong choice. */
export async function readTarget({ flags }: Call<PlayFlags>): Promise<TargetGiven> {
  const { target, speed, runId, wait } = flags;
  const credentials = givenPublishers(flags);
  const isService = credentials.length > 0;
  const needsTarget = isService ? "--api-key" : speed && "--speed";
  if (target === undefined && needsTarget !== undefined) {
    throw wrongUsage(`${needsTarget} needs --target: a play in this process never waits.`);
  }
  const needsService = runId === undefined ? wait && "--wait" : "--run-id";
  if (!isService && needsService !== undefined) {
    throw wrongUsage(
      `${needsService} is for services other than adsim: --target URL --api-key KEY --publisher ID.`,
    );
  }
  if (!isService) return { target, isService, credentials, knownChoices: {}, overrides: flags };
  // readAssumptionFlags has checked them.
  const knownChoices = (await readAssumptionFlags(flags)).chosen as Choices;
  const { assume: _, assumptions: __, ...overrides } = flags;
  return { target, isService, credentials, knownChoices, overrides };
}
