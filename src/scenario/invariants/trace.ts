/** Stands in until invariants are merged. */

import type { Readings } from "../../simulator-options.ts";
import type { Exchange, Member } from "../player/effects.ts";
export interface Trace {
  observe(exchange: Exchange): void;
  member(member: Member): void;
  assumed(readings: Readings): void;
  surfaceSet(changed: unknown): void;
}
export function createTrace(): Trace {
  const nothing = (): void => undefined;
  return { observe: nothing, member: nothing, assumed: nothing, surfaceSet: nothing };
}
