/** What a scenario is played against over HTTP. */

import type { Snapshot } from "../../world/accounts/snapshot.ts";
import type { Capabilities, EffectKind, EffectOf, Effects } from "../player/effects.ts";

export interface TargetOptions {
  /** What the world of an adsim is to be. Only asked for where there is one. */
  readonly snapshot: () => Snapshot;
  /** The world's name where the URL names none. */
  readonly worldName: string;
  /** What an adsim asks for on control requests. */
  readonly controlToken?: string | undefined;
  /** How many times as fast as real time. @default for an adsim nobody waits, for another service 1 */
  readonly speed?: number | undefined;
  /** Publishers of the service. Given these, it is no adsim to us, whatever it is. */
  readonly credentials?: readonly ServiceCredentials[] | undefined;
  /** How many requests of traffic can be on their way to a service at once. @default 64 */
  readonly connections?: number | undefined;
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

/** A publisher of a foreign service, which the scenario calls by its place in the list. */
export interface ServiceCredentials {
  readonly id: string;
  readonly apiKey: string;
  /** Ids of its surfaces. @default the service is asked for them, once */
  readonly surfaces?: readonly string[] | undefined;
}

/** Does effects, each when it can. */
export type AsyncPerformers = {
  readonly [Kind in EffectKind]: (effect: EffectOf<Kind>) => Promise<Effects[Kind]["output"]>;
};

export interface Target {
  readonly capabilities: Capabilities;
  readonly performers: AsyncPerformers;
  /** `url`: where requests go, the world's name included. */
  readonly description: { readonly kind: "adsim" | "service"; readonly url: string };
  /** Takes away what was only made for playing, and closes all connections. */
  close(): Promise<void>;
}

/** How far traffic is. */
export interface TrafficProgress {
  readonly sent: number;
  /** Answered, or given up. */
  readonly ended: number;
  /** Due, and waiting for a connection. */
  readonly waiting: number;
  readonly late: number;
  readonly dropped: number;
}
