/** The rules of `--faults FILE`: a JSON list of rules, or one rule. Errors name the place in the file. */

import { InputError } from "../../base/input.ts";
import { addRule } from "../../faults/faults.ts";
import type { FaultRule } from "../../faults/rule.ts";
import { readJsonFile } from "./json-file.ts";

const EXPECTED =
  'It must have one rule or a list of rules, such as [{"match": {"operation": "click"}, "verdict": {"kind": "drop"}}].';

/** @throws CommandFailure that names the file, and the invalid rule and field if there is one. */
export async function faultRules(file: string): Promise<readonly FaultRule[]> {
  const { value, wrong } = await readJsonFile("--faults", file, EXPECTED);
  if (typeof value !== "object" || value === null) throw wrong(`it has no rule. ${EXPECTED}`);
  const isList = Array.isArray(value);
  const rules: readonly unknown[] = isList ? value : [value];
  // Rules are added to one list, to notice duplicate ids and too many rules.
  const state = { added: 0, rules: [] };
  for (const [index, rule] of rules.entries()) {
    try {
      // It checks the rule.
      addRule(state, rule as FaultRule, 0);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw wrong(`${isList ? `rule ${index + 1} of the list: ` : ""}${error.message}`);
    }
  }
  return rules as readonly FaultRule[];
}
