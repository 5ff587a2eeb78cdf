/** Checks that each reference of a scenario (to an answer, a tally or a publisher) resolves at the step that uses it. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError, isPlainObject } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { checkMembers } from "./check-members.ts";
import { expectationKeys, isRequest, kindOf, type StepKind } from "./step-kind.ts";
import { type OutputShape, outputOf, publisherList, reports, tally } from "./step-outputs.ts";
import type {
  Expectation,
  ExpectStep,
  PublisherRef,
  RequestStep,
  Scenario,
  Step,
} from "./types.ts";
import { partsOf, valueObject } from "./values.ts";

/** What is known at a point in the scenario. */
interface Scope {
  /** Kinds of earlier steps by their names. */
  readonly names: Map<string, StepKind>;
  /** All names of the scenario, later ones too. */
  readonly all: ReadonlySet<string>;
  readonly publishers: number;
  hasAnswer: boolean;
}

/** `request`: values are sent, so references must lead to plain values. `isInRound`: inside a repeat or parallel. */
interface Place {
  readonly use: "request" | "matcher";
  readonly isInRound: boolean;
}

/** @throws InputError at the reference that doesn't resolve. */
export function checkReferences(scenario: Scenario): void {
  const scope: Scope = {
    names: new Map(),
    all: new Set(namesIn(scenario.steps)),
    publishers: resolveOptions({ publishers: scenario.publishers }).settings.publishers,
    hasAnswer: false,
  };
  checkSteps(scenario.steps, "steps", scope, false);
  scenario.expectations?.forEach((expected, index) => {
    checkExpectation(expected, `expectations.${index}`, scope, false);
  });
}

function namesIn(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => [
    ...("repeat" in step ? namesIn(step.repeat.steps) : []),
    ...("parallel" in step ? namesIn(step.parallel.steps) : []),
    ...(step.as === undefined ? [] : [step.as]),
  ]);
}

function checkSteps(steps: readonly Step[], path: string, scope: Scope, isInRound: boolean): void {
  steps.forEach((step, index) => {
    const at = `${path}.${index}`;
    const kind = kindOf(step);
    checkStep(step, kind, at, scope, isInRound);
    define(step, kind, at, scope);
  });
}

function define({ as }: Step, kind: StepKind, at: string, scope: Scope): void {
  if (isRequest(kind)) scope.hasAnswer = true;
  if (as === undefined) return;
  if (scope.names.has(as)) {
    throw new InputError(`${at}.as`, `is already the name of an earlier step. Choose another`);
  }
  scope.names.set(as, kind);
}

function checkStep(step: Step, kind: StepKind, at: string, scope: Scope, isInRound: boolean): void {
  if (kind === "expect") {
    checkExpectation((step as ExpectStep).expect, `${at}.expect`, scope, isInRound);
    return;
  }
  const { expect, ...does } = step as Exclude<Step, ExpectStep> & { readonly expect?: unknown };
  if ("repeat" in does) checkSteps(does.repeat.steps, `${at}.repeat.steps`, scope, true);
  else if ("parallel" in does) checkParallel(does.parallel.steps, `${at}.parallel.steps`, scope);
  else if ("traffic" in does) {
    does.traffic.publishers?.forEach((one, index) => {
      checkPublisherRef(one, `${at}.traffic.publishers.${index}`, scope);
    });
  } else if ("setSurface" in does) {
    checkPublisherRef(does.setSurface.publisher, `${at}.setSurface.publisher`, scope);
  } else if ("rotateKey" in does) {
    checkPublisherRef(does.rotateKey.publisher, `${at}.rotateKey.publisher`, scope);
  } else if ("advance" in does) {
    if (typeof does.advance === "object" && "retryAfterOf" in does.advance) {
      checkAnswer(does.advance.retryAfterOf, `${at}.advance.retryAfterOf`, scope);
    }
  } else if (isRequest(kind)) {
    if ("publisher" in does) checkPublisherRef(does.publisher, `${at}.publisher`, scope);
    checkData(does, at, scope, { use: "request", isInRound });
  }
  checkData(expect, `${at}.expect`, scope, { use: "matcher", isInRound });
  if (!isRequest(kind)) checkMembers(expect, tally, `${at}.expect`);
}

/** The inner requests are sent together, so none can refer to another's answer. */
function checkParallel(steps: readonly RequestStep[], path: string, scope: Scope): void {
  steps.forEach((step, index) => {
    checkStep(step, kindOf(step), `${path}.${index}`, scope, true);
  });
  steps.forEach((step, index) => {
    define(step, kindOf(step), `${path}.${index}`, scope);
  });
}

function checkExpectation(
  expected: Expectation,
  at: string,
  scope: Scope,
  isInRound: boolean,
): void {
  if ("publisher" in expected) checkPublisherRef(expected.publisher, `${at}.publisher`, scope);
  if ("of" in expected) {
    const shape = checkPath(expected.of, `${at}.of`, scope, "matcher");
    checkMembers(expected.is, shape, `${at}.is`);
  } else if ("stats" in expected) checkMembers(expected.is, reports.stats, `${at}.is`);
  else if ("surfaces" in expected) checkMembers(expected.is, reports.surfaces, `${at}.is`);
  else if ("payouts" in expected) checkMembers(expected.is, reports.payouts, `${at}.is`);
  else if ("audit" in expected) checkMembers(expected.audit, reports.audit, `${at}.audit`);
  else if ("answer" in expected && expected.answer !== undefined) {
    checkAnswer(expected.answer, `${at}.answer`, scope);
  } else if (!scope.hasAnswer && isOfAnswer(expected)) {
    throw new InputError(at, "is about the last answer, but no request comes before it");
  }
  for (const [name, part] of Object.entries(expected)) {
    const use = name === "stats" || name === "payouts" ? "request" : "matcher";
    if (name !== "publisher") checkData(part, `${at}.${name}`, scope, { use, isInRound });
  }
}

function isOfAnswer(expected: Expectation): boolean {
  return !expectationKeys.some((key) => key in expected);
}

/** Checks the references in values and matchers, at any depth. */
function checkData(data: unknown, at: string, scope: Scope, place: Place): void {
  if (Array.isArray(data)) {
    data.forEach((one, index) => {
      checkData(one, `${at}.${index}`, scope, place);
    });
  }
  if (!isPlainObject(data)) return;
  if (valueObject(data) !== undefined) {
    if (typeof data.ref === "string") checkPath(data.ref, `${at}.ref`, scope, place.use);
    else if (typeof data.of === "string") checkAnswer(data.of, `${at}.of`, scope);
    else if ("numbered" in data && !place.isInRound) {
      throw new InputError(`${at}.numbered`, "counts rounds, but is not in a repeat or parallel");
    }
    return;
  }
  for (const [name, part] of Object.entries(data)) {
    if (name === "equals" && place.use === "matcher") continue;
    checkData(part, `${at}.${shownName(name)}`, scope, place);
  }
}

function checkPublisherRef(publisher: PublisherRef | undefined, at: string, scope: Scope): void {
  if (typeof publisher === "string") {
    const kind = kindNamed(publisher, at, scope, (one) => one === "signUp", "a signUp step");
    if (kind === "signUp") return;
    throw new InputError(
      at,
      `names ${article(kind)} step, but only a signUp step makes a publisher`,
    );
  }
  if (publisher === undefined || publisher < scope.publishers) return;
  throw new InputError(at, isNotThere(scope.publishers));
}

function checkAnswer(name: string, at: string, scope: Scope): void {
  const kind = kindNamed(name, at, scope, isRequest, "a request");
  if (isRequest(kind)) return;
  throw new InputError(at, `names ${article(kind)} step, but only requests have an answer`);
}

function checkPath(text: string, at: string, scope: Scope, use: Place["use"]): OutputShape {
  const [name = "", ...path] = partsOf(text);
  if (name === "publishers") {
    const ordinal = /^\d+$/.test(path[0] ?? "") ? Number(path[0]) : -1;
    if (ordinal >= scope.publishers) throw new InputError(at, isNotThere(scope.publishers));
    return follow(publisherList, path, at, use, text);
  }
  const kind = kindNamed(name, at, scope, (one) => outputOf(one) !== undefined, "an earlier step");
  const shape = outputOf(kind);
  if (shape === undefined) {
    throw new InputError(at, `names ${article(kind)} step, which has no output to refer to`);
  }
  return follow(shape, path, at, use, text);
}

/** Follows the path as far as the shape is known. */
function follow(
  shape: OutputShape,
  path: readonly string[],
  at: string,
  use: Place["use"],
  text: string,
): OutputShape {
  let here = shape;
  for (const [index, part] of path.entries()) {
    if (here.kind === "anything") return here;
    const before = partsOf(text)
      .slice(0, index + 1)
      .map(shownName)
      .join(".");
    if (here.kind === "end")
      throw new InputError(at, `continues after ${before}, which is a plain value`);
    if ("element" in here) {
      if (!/^\d{1,9}$/.test(part)) {
        throw new InputError(at, `needs a number after ${before}, such as ${before}.0`);
      }
      here = here.element;
    } else {
      const names = Object.keys(here.members);
      const member = Object.hasOwn(here.members, part) ? here.members[part] : undefined;
      if (member === undefined) {
        const hint = didYouMean(part, names) || ` Members: ${formatList(names)}`;
        throw new InputError(at, `does not resolve: ${before} has no such member.${hint}`);
      }
      here = member;
    }
  }
  if (use === "request" && here.kind !== "end" && here.kind !== "anything") {
    throw new InputError(
      at,
      "leads to an object or a list. A request needs a plain value: continue the path to one",
    );
  }
  return here;
}

function kindNamed(
  name: string,
  at: string,
  { names, all }: Scope,
  isFitting: (kind: StepKind) => boolean,
  what: string,
): StepKind {
  const kind = names.get(name);
  if (kind !== undefined) return kind;
  if (all.has(name)) {
    throw new InputError(at, "names a step that comes later: only earlier steps have results");
  }
  const fitting = Array.from(names).filter(([, one]) => isFitting(one));
  const known = fitting.map(([one]) => one);
  const hint =
    didYouMean(name, known) ||
    (known.length === 0 ? " No earlier step has a name" : ` Names: ${formatList(known)}`);
  throw new InputError(at, `must begin with the name ("as") of ${what}.${hint}`);
}

function isNotThere(publishers: number): string {
  return `names a publisher that doesn't exist: the scenario has ${publishers}, from 0 to ${publishers - 1}`;
}

function article(kind: StepKind): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
