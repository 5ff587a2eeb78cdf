/**
 * The laws that judge a finished run, and how often each does. A law that repeats the run, or asks it a hundred things, costs
 * more than playing the sequence did. It judges one run in so many, but about 200 in all campaigns together at least.
 */

import type { Assumptions } from "../../src/index.ts";
import { judge } from "../../src/laws/judge.ts";
import { createLawContext } from "../../src/laws/law.ts";
import { laws } from "../../src/laws/laws.ts";
import { mustMatchDocument } from "./documented.ts";
import { F1, F2, F3 } from "./forms.ts";
import { everythingIn, playedIn } from "./played.ts";
import type { Run } from "./run.ts";

interface Turn {
  /** 1: every sequence. */
  readonly oneIn: number;
  /**
   * The least share of those runs in which there is something to check: some laws need a payout, another publisher, or
   * another choice. 0: it isn't counted.
   *
   * @default 1
   */
  readonly held?: number;
}

/** The order decides which of the expensive laws judge the same run. */
export const turns: Readonly<Record<string, Turn>> = {
  M1: { oneIn: 5 },
  M2: { oneIn: 5, held: 0.8 },
  M3: { oneIn: 6 },
  M4: { oneIn: 5 },
  M5: { oneIn: 6, held: 0.4 },
  M6: { oneIn: 8, held: 0.4 },
  S1: { oneIn: 6 },
  S2: { oneIn: 5 },
  S3: { oneIn: 5 },
  S4: { oneIn: 5 },
  S5: { oneIn: 5 },
  S6: { oneIn: 6 },
  S7: { oneIn: 8 },
  S8: { oneIn: 8 },
  D1: { oneIn: 3 },
  D2: { oneIn: 5, held: 0.7 },
  D3: { oneIn: 1 },
  D4: { oneIn: 5 },
  D5: { oneIn: 1 },
  L1: { oneIn: 2, held: 0.3 },
  L2: { oneIn: 2, held: 0.3 },
  L3: { oneIn: 1, held: 0.1 },
  L4: { oneIn: 6, held: 0.6 },
  L5: { oneIn: 3 },
  L6: { oneIn: 6 },
  L7: { oneIn: 1 },
  L8: { oneIn: 6 },
  A1: { oneIn: 8, held: 0.45 },
  A2: { oneIn: 8 },
  A3: { oneIn: 5 },
  A4: { oneIn: 1, held: 0 },
  A5: { oneIn: 8 },
  H1: { oneIn: 8 },
  H2: { oneIn: 1 },
  H3: { oneIn: 1 },
  H4: { oneIn: 8 },
  R1: { oneIn: 6 },
  R2: { oneIn: 8 },
  R3: { oneIn: 8 },
  R8: { oneIn: 8, held: 0.5 },
  F1: { oneIn: 6 },
  F2: { oneIn: 5 },
  F3: { oneIn: 8 },
  R6: { oneIn: 8 },
  R7: { oneIn: 8 },
};

/** Checks in addition to the list of laws: of what no form may change, and of what only a JSON Schema validator notices. */
const others: Readonly<Record<string, (run: Run) => void>> = { F1, F2, F3, H1: mustMatchDocument };

/** These judge each answer on its own, even one from a step that was undone. */
const ofAnyAnswer: readonly string[] = ["M4", "L7", "H2", "H3"];

/**
 * Judges a run by the laws whose turn it is at the sequence with this number.
 *
 * @returns the ids of those that had something to check and held.
 * @throws Error that names the law that is broken, and what broke it.
 */
export function judgeRun(run: Run, number: number): string[] {
  const [straight, everything] = [
    createLawContext(playedIn(run)),
    createLawContext(everythingIn(run)),
  ];
  const held: string[] = [];
  for (const id of turnsAt(number, run.options.assumptions)) {
    const law = laws.find((one) => one.id === id);
    const { verdict, why } = law
      ? judge(law, ofAnyAnswer.includes(id) ? everything : straight)
      : { verdict: "held", why: undefined };
    if (verdict === "broken") throw new Error(`${id} is broken: ${why}`);
    others[id]?.(run);
    if (verdict === "held") held.push(id);
  }
  return held;
}

/** The laws whose turn it is. */
function turnsAt(number: number, assumptions: Assumptions): string[] {
  const masks =
    assumptions["auth.foreign-publisher"] === "404" && assumptions["auth.key-scope"] !== "any";
  return Object.entries(turns)
    .filter(([id, { oneIn }], place) => (number + place) % oneIn === 0 && (id !== "A4" || masks))
    .map(([id]) => id);
}
