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
  const rules = [value].flat() as readonly FaultRule[];
  // Rules are added to one list, to notice duplicate ids and too many rules.
  const state = { added: 0, rules: [] };
  for (const [index, rule] of rules.entries()) {
    try {
      addRule(state, rule, 0);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw wrongUsage(`--faults ${file}: rule ${index + 1}: ${error.message}`);
    }
  }
  return rules;
}
