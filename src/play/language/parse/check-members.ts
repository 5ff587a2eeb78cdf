/** Whether what is expected of a report or a tally can be there at all: no play tells a misspelt member from one that is missing. */

import { didYouMean, formatList } from "../../../base/did-you-mean.ts";
import { InputError, inField, isPlainObject, parseInput } from "../../../base/input.ts";
import { safeName } from "../../../base/safe-name.ts";
import { isRuleKey, plainMatcher } from "./matchers.ts";
import type { OutputShape } from "./step-outputs.ts";
import { valueObject } from "./values.ts";

/** @throws InputError at the member that isn't in the shape, and at what a plain value or a list never is. */
export function checkMembers(matcher: unknown, shape: OutputShape, at: string): void {
  if (shape.kind === "anything") return;
  if (Array.isArray(matcher)) {
    if (shape.kind !== "list") throw new InputError(at, "must not be a list: there is none");
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
      'must be a list, or a rule such as "some" or "every": there is a list',
    );
  } else {
    for (const [name, part] of Object.entries(matcher)) {
      // A status, or a slip in one, is too short for an API key.
      const within = `${at}.${/^\w{1,5}$/.test(name) ? name : safeName(name)}`;
      const member = memberOf(shape, name, part, within);
      if (member !== undefined) checkMembers(part, member, within);
    }
  }
}

/** What a rule says of the shape itself, or of its elements. */
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

/** Undefined where there is none, as is expected. */
function memberOf(
  shape: Extract<OutputShape, { readonly kind: "members" | "numbered" }>,
  name: string,
  expected: unknown,
  at: string,
): OutputShape | undefined {
  if (shape.kind === "numbered") {
    if (/^\d{1,9}$/.test(name)) return shape.element;
    throw new InputError(at, "is no number, such as 200");
  }
  if (Object.hasOwn(shape.members, name)) return shape.members[name];
  if (isPlainObject(expected) && expected.absent === true) return undefined;
  const names = Object.keys(shape.members);
  throw new InputError(
    at,
    `is not among the members.${didYouMean(name, names) || ` There is: ${formatList(names)}`}`,
  );
}
