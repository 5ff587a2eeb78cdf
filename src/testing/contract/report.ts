/** The report of a contract: the verdict on each rule. */

import { counted } from "../../base/counted.ts";
import { driverMethods } from "../driver/driver.ts";
import type { Rule } from "./rules/rule.ts";

export type RuleVerdict =
  /** `applied`: how often it came up. */
  | { readonly kind: "held"; readonly applied: number }
  | {
      readonly kind: "broken";
      /** What was expected, and what was found instead. */
      readonly why: string;
      /** The value of ADSIM_REPLAY that replays it. */
      readonly replay: string;
      /** The scenario's file, if one was written. */
      readonly file: string | undefined;
    }
  /** It never came up in this many runs. */
  | { readonly kind: "unknown"; readonly runs: number }
  | { readonly kind: "skipped"; readonly why: string }
  /** Trying it threw an error. */
  | { readonly kind: "failed"; readonly why: string }
  /** The runner hadn't run its test when the report was made. */
  | { readonly kind: "not-run" };

export interface ContractReport {
  readonly name: string;
  /** In the order of the contract. */
  readonly rules: readonly (Pick<Rule, "id" | "says" | "source"> & {
    readonly verdict: RuleVerdict;
  })[];
}

/** The message for a rule that never came up, with the line to paste if the client never does what the rule is about. */
export function unknownText({ id, needs = [] }: Pick<Rule, "id" | "needs">, runs: number): string {
  const needed = needs.filter((name) => driverMethods.includes(name));
  const methods = ["impression", ...needed].map((name) => `${name}()`).join(", ");
  return [
    `The result of ${id} is unknown: it was never tried in ${counted(runs, "run")}.`,
    `The driver's ${methods} must make the client send what the rule is about.`,
    "If this client never does that, say why:",
    `  skip: { "${id}": "…" }`,
  ].join("\n");
}
