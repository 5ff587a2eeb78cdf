/** What types of a scenario mean beyond their shape, by the names that they have in types.ts. */

import { parseInstant } from "../../base/calendar.ts";
import { DAY_MS, type Duration, durationMs, isDuration } from "../../base/duration.ts";
import { given } from "../../base/given.ts";
import { isPlainObject, parseInput, renamingField } from "../../base/input.ts";
import { parseRule } from "../../faults/rule.ts";
import { parseChoices } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { changeSchema, signUpSchema } from "../../world/accounts/publisher-directory.ts";
import { parseThreshold } from "../measure/thresholds.ts";
import { parseRate } from "../traffic/rate.ts";
import type { Arrivals, Mix, Rate, Traffic } from "../traffic/traffic.ts";
import { checkMembers } from "./matchers.ts";
import { fail, inPlace, type Place } from "./place.ts";
import { checkAnswer, checkPublisher, noteStep, shapeAt } from "./references.ts";
import { definitionOf } from "./schema.ts";
import { type OutputShape, reports, tally } from "./step-outputs.ts";
import type { Expectation, Operand, RequestStep, SetSurfaceStep, Step, Value } from "./types.ts";

interface Meaning {
  /** Checks the whole value, in place of the schema. */
  readonly parse?: (value: unknown) => unknown;
  /** Comes before the value is checked, and says what is known within. */
  readonly enter?: (value: unknown, place: Place) => Place;
  /** Whether a value of the right shape means something. If not, the error is the type's comment. */
  readonly isSound?: (value: never) => boolean;
  /** Comes after the value is checked. */
  readonly leave?: (value: never, place: Place) => void;
}

const answerKeys = Object.keys(definitionOf("AnswerExpectation").properties ?? {});
const round: Meaning["enter"] = (_, place) => ({ ...place, isInRound: true });
const matcher: Meaning["enter"] = (_, place) => ({ ...place, use: "matcher" });
const request: Meaning["enter"] = (_, place) => ({ ...place, use: "request", shape: undefined });

export const meanings: Readonly<Record<string, Meaning>> = {
  FaultRule: { parse: (rule) => parseRule(rule, "") },
  Choices: { parse: choicesIn },
  SignUpRequest: { parse: (signUp) => parseInput(signUpSchema, signUp) },
  ThresholdText: { leave: (text: string, place) => inPlace(place, () => parseThreshold(text)) },

  Instant: { isSound: (text: string) => parseInstant(text) !== undefined },
  Duration: { isSound: isDuration },
  Patience: { isSound: (timeout: Duration) => isWithin(timeout, DAY_MS) },
  Span: { isSound: (span: Duration) => isWithin(span, Number.POSITIVE_INFINITY) },
  RateAboveZero: { isSound: (rate: Rate) => (parseRate(rate) ?? 0) > 0 },
  Hours: { isSound: (hours: readonly number[]) => hours.some((one) => one > 0) },
  Instants: { isSound: isAscending },
  Mix: { isSound: (mix: Mix) => Object.values(mix).some((one) => (one ?? 0) > 0) },
  Arrivals: { leave: checkArrivals },
  Traffic: { leave: checkTraffic },

  Step: { enter: countStep, leave: (step: Step, place) => noteStep(step, place) },
  RequestStep: { enter: countStep },
  Repeat: { enter: round },
  Parallel: {
    enter: round,
    // They are sent together, so none can refer to another's answer.
    leave({ steps }: { readonly steps: readonly RequestStep[] }, place) {
      for (const [index, step] of steps.entries()) noteStep(step, place, "steps", String(index));
    },
  },
  SetSurface: {
    leave: ({ status, cpmRange }: SetSurfaceStep["setSurface"], place) =>
      inPlace(place, () => parseInput(changeSchema, given({ status, cpmRange }))),
  },
  AnswerName: { leave: checkAnswer },
  PublisherRef: { leave: checkPublisher },
  Sender: { leave: checkPublisher },
  Path: { leave: checkPath },
  Numbered: {
    leave: (_: unknown, place) => {
      if (place.isInRound) return;
      fail(place, "counts rounds, but is not in a repeat or parallel", "numbered");
    },
  },
  Headers: { leave: checkHeaders },

  Expectation: { enter: expectedShape, leave: checkExpectation },
  StatsParameters: { enter: request },
  PayoutsParameters: { enter: request },
  TallyMatcher: { enter: (_, place) => ({ ...place, use: "matcher", shape: tally }) },
  Matcher: { enter: matcherOf },
  PlainMatcher: { enter: matcher },
  StatusMatcher: { enter: matcher },
  Members: {
    enter(members, place) {
      checkMembers(members, place);
      return place;
    },
  },
  Bounds: {
    isSound: ([least, most]: readonly [Operand, Operand]) =>
      typeof least !== "number" || typeof most !== "number" || least <= most,
  },
};

function choicesIn(input: unknown): unknown {
  const choices = parseChoices(input);
  renamingField(
    (field) => field.replace(/^assumptions\.?/, ""),
    () => resolveAssumptions(choices),
  );
  return choices;
}

/** Longer than 0, and not longer than `mostMs`. */
function isWithin(duration: Duration, mostMs: number): boolean {
  const ms = durationMs(duration);
  return ms > 0 && ms <= mostMs;
}

function isAscending(atMs: readonly number[]): boolean {
  return atMs.every((ms, index) => index === 0 || ms >= (atMs[index - 1] ?? 0));
}

function checkArrivals(arrivals: Arrivals, place: Place): void {
  if (arrivals.kind === "ramp") {
    const { from, to } = arrivals;
    if (parseRate(from) === 0 && parseRate(to) === 0)
      fail(place, 'must have "from" or "to" above 0');
  }
  if (arrivals.kind !== "burst" || arrivals.every === undefined) return;
  if (durationMs(arrivals.within ?? 0) <= durationMs(arrivals.every)) return;
  fail(place, 'must have "within" no longer than "every"');
}

function checkTraffic({ arrivals, for: lasting }: Traffic, place: Place): void {
  if (arrivals.kind !== "trace" || (arrivals.atMs.at(-1) ?? 0) < durationMs(lasting)) return;
  fail(place, 'must have "for" longer than the last entry of the trace');
}

function countStep(_: unknown, place: Place): Place {
  const { scope } = place;
  scope.steps += 1;
  if (scope.steps <= scope.maxSteps) return place;
  return fail(place, `is one step too many: a scenario may have at most ${scope.maxSteps}`);
}

function checkPath(path: string, place: Place): void {
  const shape = shapeAt(path, place);
  if (place.use === "matcher" || shape === undefined || shape === "plain") return;
  fail(
    place,
    "leads to an object or a list. A request needs a plain value: continue the path to one",
  );
}

/** Headers that an HTTP client sets by itself, or refuses to send. */
const transport = /^(?:connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/i;

function checkHeaders(headers: Readonly<Record<string, Value>>, place: Place): void {
  for (const [name, value] of Object.entries(headers)) {
    if (transport.test(name)) {
      fail(place, "belongs to the connection: a scenario can't set it", name);
    }
    // Only values that every HTTP client sends unchanged.
    if (typeof value === "string" && !/^([\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?)?$/.test(value)) {
      fail(place, "must be printable ASCII, without a space at either end", name);
    }
  }
}

/** What the matchers of an expectation are compared with. */
function expectedShape(expectation: unknown, place: Place): Place {
  if (!isPlainObject(expectation)) return place;
  const { of } = expectation;
  const members: Record<string, OutputShape | undefined> = { audit: reports.audit };
  if (typeof of === "string") {
    place.path.push("of");
    members.is = shapeAt(of, place);
    place.path.pop();
  }
  if ("stats" in expectation) members.is = reports.stats;
  if ("surfaces" in expectation) members.is = reports.surfaces;
  if ("payouts" in expectation) members.is = reports.payouts;
  return { ...place, shape: { members } };
}

function checkExpectation(expectation: Expectation, place: Place): void {
  const names = Object.keys(expectation);
  if (names.join() === "answer") fail(place, "must expect something of the answer");
  const isOfLast = names.every((name) => answerKeys.includes(name));
  if (!isOfLast || place.scope.hasAnswer) return;
  fail(place, "is about the last answer, but no request comes before it");
}

function matcherOf(value: unknown, place: Place): Place {
  const { shape } = place;
  if (Array.isArray(value) && shape !== undefined && !(shape !== "plain" && "element" in shape)) {
    fail(place, "must not be a list: this value is never one");
  }
  return { ...place, use: "matcher" };
}
