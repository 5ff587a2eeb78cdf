/**
 * The laws by their ids, and how often each is tried. One that replays runs, forks them or asks them a hundred things
 * costs more than playing a sequence did: it looks at one in so many, some 200 of all campaigns at least.
 */

import type { Assumptions, Choice } from "../../src/index.ts";
import * as determinism from "./laws/determinism.ts";
import * as forms from "./laws/forms.ts";
import * as isolation from "./laws/isolation.ts";
import * as limits from "./laws/limits.ts";
import * as money from "./laws/money.ts";
import * as recording from "./laws/recording.ts";
import * as shape from "./laws/shape.ts";
import * as stats from "./laws/stats.ts";
import type { Run } from "./run.ts";

export interface Law {
  readonly law: (run: Run) => void;
  /** 1: every sequence. */
  readonly oneIn: number;
  /** Under which assumptions there is something to look at, where not under any. */
  readonly where?: (assumptions: Assumptions) => boolean;
}

const under =
  (...names: readonly Choice<"limit.algorithm">[]): ((assumptions: Assumptions) => boolean) =>
  (assumptions) =>
    names.includes(assumptions["limit.algorithm"]);
const masksForeign = (assumptions: Assumptions): boolean =>
  assumptions["auth.foreign-publisher"] === "404" && assumptions["auth.key-scope"] === "publisher";

export const laws: Readonly<Record<string, Law>> = {
  M1: { law: money.M1, oneIn: 5 },
  M2: { law: money.M2, oneIn: 5 },
  M3: { law: money.M3, oneIn: 6 },
  M4: { law: money.M4, oneIn: 5 },
  M5: { law: money.M5, oneIn: 6 },
  M6: { law: money.M6, oneIn: 8 },
  S1: { law: stats.S1, oneIn: 6 },
  S2: { law: stats.S2, oneIn: 5 },
  S3: { law: stats.S3, oneIn: 5 },
  S4: { law: stats.S4, oneIn: 5 },
  S5: { law: stats.S5, oneIn: 5 },
  S6: { law: stats.S6, oneIn: 6 },
  S7: { law: stats.S7, oneIn: 8 },
  S8: { law: stats.S8, oneIn: 8 },
  D1: { law: recording.D1, oneIn: 3 },
  D2: { law: recording.D2, oneIn: 5 },
  D3: { law: recording.D3, oneIn: 1 },
  D4: { law: recording.D4, oneIn: 5 },
  D5: { law: recording.D5, oneIn: 1 },
  L1: { law: limits.L1, oneIn: 2, where: under("fixed-window", "fixed-from-first") },
  L2: { law: limits.L2, oneIn: 2, where: under("sliding-log", "sliding-counter") },
  L3: { law: limits.L3, oneIn: 1, where: under("token-bucket") },
  L4: { law: limits.L4, oneIn: 6 },
  L5: { law: limits.L5, oneIn: 3 },
  L6: { law: limits.L6, oneIn: 6 },
  L7: { law: limits.L7, oneIn: 1 },
  L8: { law: limits.L8, oneIn: 6 },
  A1: { law: isolation.A1, oneIn: 8 },
  A2: { law: isolation.A2, oneIn: 8 },
  A3: { law: isolation.A3, oneIn: 5 },
  A4: { law: isolation.A4, oneIn: 1, where: masksForeign },
  A5: { law: isolation.A5, oneIn: 8 },
  H1: { law: shape.H1, oneIn: 8 },
  H2: { law: shape.H2, oneIn: 1 },
  H3: { law: shape.H3, oneIn: 1 },
  H4: { law: shape.H4, oneIn: 8 },
  R1: { law: determinism.R1, oneIn: 6 },
  R2: { law: determinism.R2, oneIn: 8 },
  R3: { law: determinism.R3, oneIn: 8 },
  R8: { law: determinism.R8, oneIn: 8 },
  F1: { law: forms.F1, oneIn: 6 },
  F2: { law: forms.F2, oneIn: 5 },
  F3: { law: forms.F3, oneIn: 8 },
};

/** The laws that look at the sequence with this number. The dear ones take turns. */
export function lawsFor(number: number, assumptions: Assumptions): [name: string, law: Law][] {
  return Object.entries(laws).filter(
    ([, { oneIn, where }], place) =>
      (number + place) % oneIn === 0 && (where === undefined || where(assumptions)),
  );
}
