/**
 * What types of a scenario mean beyond their shape, by the names that they have in types.ts. Errors name a field within. Mistakes in
 * matchers are found here: at play time a misspelt rule or member would only look absent.
 */

import { parseInstant } from "../../base/calendar.ts";
import { didYouMean, unknownMember } from "../../base/did-you-mean.ts";
import { DAY_MS, type Duration, durationMs, isDuration } from "../../base/duration.ts";
import { InputError, inField, isPlainObject, parseInput, renamingField } from "../../base/input.ts";
import { given } from "../../base/plain-data.ts";
import { shownName } from "../../base/text.ts";
import { parseRule } from "../../faults/rule.ts";
import { parseChoices } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { changeSchema, signUpSchema } from "../../world/accounts/publisher-directory.ts";
import { parseThreshold } from "../measure/thresholds.ts";
import { parseRate } from "../traffic/arrivals.ts";
import type { Arrivals, Mix, Rate, Traffic } from "../traffic/traffic.ts";
import {
  checkAnswer,
  checkPublisher,
  membersAt,
  noteStep,
  reports,
  type Scope,
  tallyMembers,
} from "./references.ts";
import { alternativesIn, definitionOf } from "./schema.ts";
import type {
  Expectation,
  Indirect,
  Matcher,
  Operand,
  SetSurfaceStep,
  Step,
  Value,
} from "./types.ts";

/** They check the whole value, in place of the schema. */
export const parsers: Readonly<Record<string, (value: unknown) => unknown>> = {
  FaultRule: (rule) => parseRule(rule, ""),
  Choices: choicesIn,
  SignUpRequest: (signUp) => parseInput(signUpSchema, signUp),
};

/** They come after the schema. If one gives false, the error is the type's comment. */
export const checks: Readonly<Record<string, (value: never, scope: Scope) => unknown>> = {
  ThresholdText: (text: string) => parseThreshold(text),
  Instant: (text: string) => parseInstant(text) !== undefined,
  Duration: isDuration,
  Patience: (timeout: Duration) => durationMs(timeout) > 0 && durationMs(timeout) <= DAY_MS,
  Span: (span: Duration) => durationMs(span) > 0,
  RateAboveZero: (rate: Rate) => (parseRate(rate) ?? 0) > 0,
  Hours: (hours: readonly number[]) => hours.some((one) => one > 0),
  Instants: (atMs: readonly number[]) => atMs.every((ms, index) => ms >= (atMs[index - 1] ?? 0)),
  Mix: (mix: Mix) => Object.values(mix).some((one) => (one ?? 0) > 0),
  Bounds: ([least, most]: readonly [Operand, Operand]) =>
    typeof least !== "number" || typeof most !== "number" || least <= most,
  Arrivals: checkArrivals,
  Traffic: checkTraffic,
  SetSurface: ({ status, cpmRange }: SetSurfaceStep["setSurface"]) =>
    parseInput(changeSchema, given({ status, cpmRange })),
  Headers: checkHeaders,

  Step: noteStep,
  // They are sent together, so none can refer to another's answer.
  Parallel: ({ steps }: { readonly steps: readonly Step[] }, scope) => {
    for (const [index, step] of steps.entries())
      inField(`steps.${index}`, () => noteStep(step, scope));
  },
  AnswerName: checkAnswer,
  PublisherRef: checkPublisher,
  Sender: checkPublisher,
  Path: membersAt,

  Expectation: checkExpectation,
  Members: checkMembers,
  TallyMatcher: (matcher: Matcher) => checkMatcher(matcher, tallyMembers),
};

function choicesIn(input: unknown): unknown {
  const choices = parseChoices(input);
  renamingField(
    (field) => field.replace(/^assumptions\.?/, ""),
    () => resolveAssumptions(choices),
  );
  return choices;
}

function checkArrivals(arrivals: Arrivals): void {
  if (arrivals.kind === "ramp" && parseRate(arrivals.from) === 0 && parseRate(arrivals.to) === 0)
    throw new InputError("", 'must have "from" or "to" above 0');
  if (arrivals.kind !== "burst" || arrivals.every === undefined) return;
  if (durationMs(arrivals.within ?? 0) > durationMs(arrivals.every))
    throw new InputError("", 'must have "within" no longer than "every"');
}

function checkTraffic({ arrivals, for: lasting }: Traffic): void {
  if (arrivals.kind === "trace" && (arrivals.atMs.at(-1) ?? 0) >= durationMs(lasting))
    throw new InputError("", 'must have "for" longer than the last entry of the trace');
}

/** Headers that an HTTP client sets by itself, or refuses to send. */
const transport = /^(?:connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/i;

function checkHeaders(headers: Readonly<Record<string, Value>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (transport.test(name))
      throw new InputError(name, "belongs to the connection: a scenario can't set it");
    // Only values that every HTTP client sends unchanged.
    if (typeof value === "string" && !/^([\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?)?$/.test(value))
      throw new InputError(name, "must be printable ASCII, without a space at either end");
  }
}

function checkExpectation(expectation: Expectation, scope: Scope): void {
  if ("audit" in expectation) {
    inField("audit", () => checkMatcher(expectation.audit, reports.audit));
  } else if ("is" in expectation) {
    const report = (["stats", "surfaces", "payouts"] as const).find((one) => one in expectation);
    const known =
      "of" in expectation ? membersAt(expectation.of, scope) : reports[report ?? "stats"];
    inField("is", () => checkMatcher(expectation.is, known));
  } else if (!("invariant" in expectation)) {
    if (Object.keys(expectation).every((name) => name === "answer"))
      throw new InputError("", "must expect something of the answer");
    if (expectation.answer === undefined && !scope.hasAnswer)
      throw new InputError("", "is about the last answer, but no request comes before it");
  }
}

const rules = alternativesIn(definitionOf("MatchRule")).flatMap(({ required = [] }) => required);
const words = [...rules, "ref", "numbered", "daysAgo"];

/** Whether this is an object that stands for a value: a reference, a header, a numbered text, a date. */
export function isIndirect(value: unknown): value is Indirect {
  const forms = ["ref", "numbered", "daysAgo", "header,of", "of,header"];
  return isPlainObject(value) && forms.includes(Object.keys(value).join());
}

/** Which of the members of an object a matcher takes for a word of its own. */
export function wordIn(members: readonly string[]): string | undefined {
  if (members.length === 1 && words.includes(members.join())) return members[0];
  // Answers have members called `type` and `length`.
  const clear = words.filter((word) => word !== "type" && word !== "length");
  return members.find((name) => clear.some((word) => word.toLowerCase() === name.toLowerCase()));
}

/** @throws InputError for members that are meant as a rule. */
function checkMembers(members: Readonly<Record<string, unknown>>): void {
  const word = wordIn(Object.keys(members));
  if (word === undefined) return;
  const hint = words.includes(word) ? "" : didYouMean(word, words);
  const says = 'a rule has one key. Use "between" for two bounds, "equals" for data like a rule';
  throw new InputError("", `has ${word}, but ${says}.${hint}`);
}

/** @throws InputError for members that the value never has. `known`: all that it can have; undefined if that isn't known. */
function checkMatcher(matcher: unknown, known: readonly string[] | undefined): void {
  if (known === undefined || !isPlainObject(matcher) || isIndirect(matcher)) return;
  const names = Object.keys(matcher);
  if (names.join() === "not") inField("not", () => checkMatcher(matcher.not, known));
  if (names.length === 1 && rules.includes(names.join())) return;
  for (const [name, expected] of Object.entries(matcher)) {
    const isAbsent = isPlainObject(expected) && expected.absent === true;
    if (!known.includes(name) && !isAbsent)
      throw new InputError(shownName(name), unknownMember(name, known));
  }
}
