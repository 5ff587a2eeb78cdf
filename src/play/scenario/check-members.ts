/** Checks that expectations of reports and tallies name existing members. At play time a misspelt one only looks absent. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError, inField, isPlainObject, parseInput } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import { isRuleKey, plainMatcher } from "./matchers.ts";
import type { OutputShape } from "./step-outputs.ts";
import { valueObject } from "./values.ts";

/** @throws InputError at a member that the shape doesn't have, and at a matcher that can never match the shape. */
export function checkMembers(matcher: unknown, shape: OutputShape, at: string): void {
  if (shape.kind === "anything") return;
  if (Array.isArray(matcher)) {
    if (shape.kind !== "list")
      throw new InputError(at, "must not be a list: this value is never one");
    matcher.forEach((one, index) => {
      checkMembers(one, shape.element, `${at}.${index}`);
    });
  }
  if (!isPlainObject(matcher) || valueObject(matcher) !== undefined) return;
  const [rule = "", ...others] = Object.keys(matcher);
  if (others.length === 0 && isRuleKey(rule)) {
    checkOperand(rule, matcher[rule], shape, `${at}.${rule}`);
  } else if (shape.kind === "end") inField(at, () => parseInput(plainMatcher, matcher));
  else if (shape.kind === "list") {
    throw new InputError(
      at,
      'must be a list, or a rule such as "some" or "every": this value is a list',
    );
  } else {
    for (const [name, part] of Object.entries(matcher)) {
      // Short names, such as a mistyped status, can't be API keys and are shown as they are.
      const within = `${at}.${shownName(name)}`;
      const member = memberOf(shape, name, part, within);
      if (member !== undefined) checkMembers(part, member, within);
    }
  }
}

/** Checks the operand of a rule that holds matchers. */
function checkOperand(rule: string, operand: unknown, shape: OutputShape, at: string): void {
  if (rule === "not") checkMembers(operand, shape, at);
  if (rule === "oneOf" && Array.isArray(operand)) {
    operand.forEach((one, index) => {
      checkMembers(one, shape, `${at}.${index}`);
    });
  }
  if ((rule === "every" || rule === "some") && shape.kind === "list") {
    checkMembers(operand, shape.element, at);
  }
}

/** Undefined for an unknown member that is expected to be absent. */
function memberOf(
  shape: Extract<OutputShape, { readonly kind: "members" | "numbered" }>,
  name: string,
  expected: unknown,
  at: string,
): OutputShape | undefined {
  if (shape.kind === "numbered") {
    if (/^\d{1,9}$/.test(name)) return shape.element;
    throw new InputError(at, "must be a number, such as 200");
  }
  if (Object.hasOwn(shape.members, name)) return shape.members[name];
  if (isPlainObject(expected) && expected.absent === true) return undefined;
  const names = Object.keys(shape.members);
  throw new InputError(
    at,
    `does not exist here.${didYouMean(name, names) || ` Members: ${formatList(names)}`}`,
  );
}
