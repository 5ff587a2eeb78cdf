/** The rules of `--faults FILE`: a JSON list of them, or one. What is wrong is said of its place in the file. */

import { readFile } from "node:fs/promises";
import { whyNot } from "../adapters/file-error.ts";
import { InputError } from "../base/input.ts";
import { whyNotJson } from "../base/not-json.ts";
import { repeatedMember } from "../control/repeated-member.ts";
import type { FaultRule } from "../faults/rule.ts";
import { createRuleList } from "../faults/rule-list.ts";
import { CommandFailure, exitCodes } from "./exit.ts";

const EXPECTED =
  'It must hold one rule or a list of them, such as [{"match": {"operation": "click"}, "verdict": {"kind": "drop"}}].';

/** @throws CommandFailure that names the file, and the rule and its field where they are at fault. */
export async function faultRules(file: string): Promise<readonly FaultRule[]> {
  const json = await textOf(file);
  const value = parsed(file, json);
  if (typeof value !== "object" || value === null)
    throw failure(file, `holds no rule. ${EXPECTED}`);
  const repeated = repeatedMember(json);
  const isList = Array.isArray(value);
  if (repeated !== undefined) {
    const [place = "", ...field] = repeated.split(".");
    const where = isList ? `${ruleAt(Number(place))}: ${field.join(".")}` : repeated;
    throw failure(file, `${where} is there more than once. Keep the one that you mean.`);
  }
  const rules: readonly unknown[] = isList ? value : [value];
  // Rules are tried out together: two of them may have one id, or there may be too many.
  const list = createRuleList("");
  for (const [index, rule] of rules.entries()) {
    try {
      // The list checks it.
      list.add(rule as FaultRule, 0, () => undefined);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw failure(file, `${isList ? `${ruleAt(index)}: ` : ""}${error.message}`);
    }
  }
  return rules as readonly FaultRule[];
}

function ruleAt(index: number): string {
  return `rule ${index + 1} of the list`;
}

async function textOf(file: string): Promise<string> {
  try {
    const text = await readFile(file, "utf8");
    return text.replace(/^\ufeff/, "");
  } catch (error) {
    throw failure(file, `can't be read: ${whyNot(error)}. Give the path of a JSON file.`);
  }
}

function parsed(file: string, json: string): unknown {
  if (json.trim() === "") throw failure(file, `is empty. ${EXPECTED}`);
  try {
    return JSON.parse(json);
  } catch (error) {
    throw failure(file, `${whyNotJson(error)}. ${EXPECTED}`);
  }
}

function failure(file: string, what: string): CommandFailure {
  return new CommandFailure(exitCodes.wrongUsage, `--faults ${file}: ${what}`);
}
