/** The report of a contract: the result of each rule. */

import type { Rule } from "./rules/rule.ts";

export interface RuleResult extends Pick<Rule, "id" | "says" | "source"> {
  /** Undecided: nothing in the sessions concerned it, or the runner hasn't run its test. */
  readonly result: "passed" | "failed" | "undecided" | "skipped";
  /** What was expected, and what was found instead; or why it is undecided or skipped. */
  readonly why?: string | undefined;
  /** If it failed: the value of ADSIM_REPLAY that replays it. */
  readonly replay?: string | undefined;
  /** If it failed: the scenario's file, if one was written. */
  readonly file?: string | undefined;
}

export interface ContractReport {
  readonly name: string;
  /** In the order of the contract. */
  readonly rules: readonly RuleResult[];
}
