/** What a scenario is played against over HTTP. */

import type { Abilities, EffectKind, EffectOf, Effects } from "../player/effects.ts";

/** Does effects, each when it can. */
export type LatePerformers = {
  readonly [Kind in EffectKind]: (effect: EffectOf<Kind>) => Promise<Effects[Kind]["gives"]>;
};

export interface Target {
  readonly abilities: Abilities;
  readonly performers: LatePerformers;
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
