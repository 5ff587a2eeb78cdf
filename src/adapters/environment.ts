/**
 * What `adsim exec` and `adsim matrix` put into the environment of a test suite, for simulators that run in the suite's own
 * process: they take the assumptions, and write to a file what they were asked.
 */

import { InputError, isPlainObject } from "../base/input.ts";
import { parseJson } from "../base/parse-json.ts";
import { createReachRecorder, type ReachRecorder } from "../readings/reached.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import type { Readings, SimulatorOptions } from "../simulator/simulator-options.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { brokenConstraint } from "../spec/assumptions/constraints.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { chosenFor, createSimulator, type Simulator } from "./create-simulator.ts";

const ASSUMPTIONS = "ADSIM_ASSUMPTIONS";

/** Undefined if the variable is missing or empty. Browsers have none. */
export function environmentValue(name: string): string | undefined {
  const value = typeof process === "undefined" ? undefined : process.env?.[name];
  return value === "" ? undefined : value;
}

/**
 * A simulator under the assumptions in `ADSIM_ASSUMPTIONS`, which `adsim exec` and `adsim matrix` set. `options.assumptions`
 * has precedence. Without the variable it is what `createSimulator` returns.
 *
 * @throws InputError that names the invalid option, or says what is wrong with the variable.
 */
export function simulatorFromEnvironment(options: SimulatorOptions = {}): Simulator {
  const sim = createSimulator(underEnvironment(options));
  reportReached(sim);
  return sim;
}

/** The options with the environment's choices for keys that they leave open. @throws InputError */
export function underEnvironment(options: SimulatorOptions): SimulatorOptions {
  const asked = assumptionsAsked();
  if (asked === undefined) return options;
  const { assumptions } = options;
  const chosen = isPlainObject(assumptions) ? given(assumptions) : {};
  // What isn't an object is refused when the simulator is made.
  const isValid = assumptions === undefined || isPlainObject(assumptions);
  return isValid ? { ...options, assumptions: { ...openPart(asked, chosen), ...chosen } } : options;
}

/**
 * Puts a simulator that `createSimulator` made under the environment's assumptions, and reports what it is asked. Choices that
 * it was made with stay.
 *
 * @throws InputError
 */
export function takeEnvironment(sim: object): void {
  const asked = assumptionsAsked();
  const chosen = chosenFor(sim);
  if (asked === undefined || chosen === undefined || reporting.has(sim)) return;
  const made = sim as SimulatorCore;
  let open = openPart(asked, given(chosen));
  for (let isTaken = false; !isTaken; ) {
    try {
      made.assume(open);
      isTaken = true;
    } catch (error) {
      // After events a few choices can't change any more.
      const key = error instanceof InputError ? error.field.replace(/^assumptions\./, "") : "";
      if (!Object.hasOwn(open, key)) throw error;
      const { [key]: _fixed, ...others } = open;
      open = others;
    }
  }
  reportReached(made);
}

const reporting = new WeakSet<object>();

/** Writes what the simulator is asked from now on to the file that `ADSIM_REACHED` names, if it names one. */
export function reportReached(sim: SimulatorCore): void {
  const file = environmentValue("ADSIM_REACHED");
  const asked = assumptionsAsked();
  if (file === undefined || asked === undefined || reporting.has(sim)) return;
  reporting.add(sim);
  const record = recorders.get(file) ?? recorderTo(file, asked);
  recorders.set(file, record);
  sim.journal.observe((exchange) => record(exchange, sim.assumptions));
}

/** By file. All simulators of a process share one, so that each kind of exchange is written once. */
const recorders = new Map<string, ReachRecorder>();

function recorderTo(file: string, asked: Assumptions): ReachRecorder {
  const { appendFileSync } = process.getBuiltinModule("node:fs");
  return createReachRecorder(asked, (reached) => {
    appendFileSync(file, `${JSON.stringify(reached)}\n`);
  });
}

/** @throws InputError that says what is wrong with the variable. */
function assumptionsAsked(): Assumptions | undefined {
  const text = environmentValue(ASSUMPTIONS);
  if (text === undefined) return undefined;
  const choices = parseJson(text, (mistake) => new InputError(ASSUMPTIONS, mistake));
  if (!isPlainObject(choices)) {
    throw new InputError(ASSUMPTIONS, "must be a JSON object of choices by key");
  }
  try {
    return resolveAssumptions(choices);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.field.replace(/^assumptions/, ASSUMPTIONS), error.expected);
  }
}

type Choices = Readonly<Record<string, string>>;

/** The asked choices for keys that aren't chosen, without one that contradicts what is chosen. */
function openPart(asked: Assumptions, chosen: Choices): Choices {
  const open = Object.entries(asked).filter(([key]) => !Object.hasOwn(chosen, key));
  const broken = brokenConstraint({ ...Object.fromEntries(open), ...chosen });
  return Object.fromEntries(open.filter(([key]) => key !== broken?.key));
}

/** Without keys that are undefined. */
function given(readings: Readings): Choices {
  const entries = Object.entries(readings).filter(([, choice]) => choice !== undefined);
  return Object.fromEntries(entries) as Choices;
}
