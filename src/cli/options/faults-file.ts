/** The rules of `--faults FILE`: a JSON list of rules, or one rule. Errors name the place in the file. */

import { InputError } from "../../base/input.ts";
import { addRule } from "../../faults/faults.ts";
import type { FaultRule } from "../../faults/rule.ts";
import { wrongUsage } from "../output/exit.ts";
import { jsonFile } from "./assumption-flags.ts";

const EXPECTED =
  'It must have one rule or a list of rules, such as [{"match": {"operation": "click"}, "verdict": {"kind": "drop"}}].';

/** @throws CommandFailure that names the file, and the invalid rule and field if there is one. */
export async function faultRules(file: string): Promise<readonly FaultRule[]> {
  const value = await jsonFile("--faults", file, EXPECTED);
  if (typeof value !== "object" || value === null) {
    throw wrongUsage(`--faults ${file}: it has no rule. ${EXPECTED}`);
  }
  const rules: readonly unknown[] = Array.isArray(value) ? value : [value];
  // Rules are added to one list, to notice duplicate ids and too many rules.
  const state = { added: 0, rules: [] };
  for (const [index, rule] of rules.entries()) {
    try {
      // It checks the rule.
      addRule(state, rule as FaultRule, 0);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const place = Array.isArray(value) ? `rule ${index + 1} of the list: ` : "";
      throw wrongUsage(`--faults ${file}: ${place}${error.message}`);
    }
  }
  return rules as readonly FaultRule[];
}
