/** The control requests for effects that change a world. Used by plays over HTTP. */

import type { EffectOf } from "../player/effects.ts";
import type { ControlApi } from "./control-api.ts";

type Changing = "wait" | "assume" | "signUp" | "setSurface" | "rotateKey";
type ControlRequest = Parameters<ControlApi["ask"]>;

export const controlRequests: {
  readonly [Kind in Changing]: (effect: EffectOf<Kind>) => ControlRequest;
} = {
  wait: ({ ms }) => ["POST", "clock/advance", { by: ms }],
  assume: ({ choices }) => ["PATCH", "assumptions", choices],
  signUp: ({ request }) => ["POST", "publishers", request],
  setSurface: ({ publisher, surface, change }) => [
    "PATCH",
    `publishers/${encodeURIComponent(publisher)}/surfaces/${encodeURIComponent(surface)}`,
    change,
  ],
  rotateKey: ({ publisher }) => ["POST", `publishers/${encodeURIComponent(publisher)}/rotate-key`],
};
