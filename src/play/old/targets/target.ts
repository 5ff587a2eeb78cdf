/** A target that a scenario is played on over HTTP. */

import type { Choices } from "../../../simulator/simulator-options.ts";
import type { Snapshot } from "../../../world/accounts/snapshot.ts";
import type { Capabilities, EffectKind, EffectOf, Effects } from "../player/effects.ts";
import type { ServicePlan } from "./service-plan.ts";

/** How an adsim is opened. */
export interface TargetOptions {
  /** The scenario's world, to import into the adsim. */
  readonly snapshot: () => Snapshot;
  /** The world's name, if the URL has none. */
  readonly worldName: string;
  /** The token for an adsim's control requests. */
  readonly controlToken?: string | undefined;
  /** How many times as fast as real time. @default virtual time for an adsim, 1 for another service */
  readonly speed?: number | undefined;
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

/** How another service is opened. */
export interface ServiceOptions extends Pick<TargetOptions, "speed" | "onProgress"> {
  /** Publishers of the service. With these, the target is played as a service even if it is an adsim. */
  readonly credentials: readonly ServiceCredentials[];
  /** Choices of the service that are known. @default none */
  readonly knownChoices?: Choices | undefined;
  /**
   * What will be played. If the service is asked for its surfaces, the play begins only when there is quota for its GET
   * requests.
   */
  readonly plan: Pick<ServicePlan, "reads" | "asksSurfaces">;
  /** Most traffic requests in flight at once. @default 64 */
  readonly connections?: number | undefined;
}

/** A publisher of another service. Its index in the list is its ordinal in the scenario. */
export interface ServiceCredentials {
  readonly id: string;
  readonly apiKey: string;
  /** Ids of its surfaces. @default requested from the service once */
  readonly surfaces?: readonly string[] | undefined;
}

/** Performs effects asynchronously. */
export type AsyncPerformers = {
  readonly [Kind in EffectKind]: (effect: EffectOf<Kind>) => Promise<Effects[Kind]["output"]>;
};

export interface Target {
  readonly capabilities: Capabilities;
  /** Without effects that the capabilities exclude. */
  readonly performers: Partial<AsyncPerformers>;
  /** `url`: the base URL of requests, with the world's name. */
  readonly description: { readonly kind: "adsim" | "service"; readonly url: string };
  /** Removes the scratch copy and closes all connections. */
  close(): Promise<void>;
}

/** Progress of traffic, in requests. */
export interface TrafficProgress {
  readonly sent: number;
  /** Answered or given up. */
  readonly ended: number;
  /** Due and waiting for a connection. */
  readonly waiting: number;
  readonly late: number;
  readonly dropped: number;
}
