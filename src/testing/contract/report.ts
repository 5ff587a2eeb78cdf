/** What came of each rule of a contract: what was held and how often it came up, and what nothing is known of. */

import type { Rule } from "./rules/rule.ts";

/** What came of a rule. */
export type RuleVerdict =
  /** `applied`: how often it came up. */
  | { readonly kind: "held"; readonly applied: number }
  | {
      readonly kind: "broken";
      /** What was expected, and what there was instead. */
      readonly why: string;
      /** The value of ADSIM_REPLAY that shows it again. */
      readonly replay: string;
      /** The scenario's file, where one was written. */
      readonly file: string | undefined;
    }
  /** It never came up in so many runs. */
  | { readonly kind: "unknown"; readonly runs: number }
  | { readonly kind: "skipped"; readonly why: string }
  /** It couldn't be tried. */
  | { readonly kind: "failed"; readonly why: string }
  /** The runner didn't run its test, or hadn't by then. */
  | { readonly kind: "not-run" };

export interface ContractReport {
  readonly name: string;
  /** In the order of the contract. */
  readonly rules: readonly (Pick<Rule, "id" | "says" | "source"> & {
    readonly verdict: RuleVerdict;
  })[];
}

/** What nobody can say of a client, with the line to paste where that is as it should be. */
export function unknownText({ id, needs = [] }: Pick<Rule, "id" | "needs">, runs: number): string {
  const methods = ["impression", ...needs].map((name) => `${name}()`).join(", ");
  return [
    `The result of ${id} is unknown: it was never tried in ${runs === 1 ? "1 run" : `${runs} runs`}.`,
    `The driver's ${methods} must make the client send what the rule is about.`,
    "If this client never does that, say why:",
    `  skip: { "${id}": "…" }`,
  ].join("\n");
}
