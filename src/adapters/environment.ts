/**
 * What `adsim exec` and `adsim matrix` put into the environment of a test suite, for simulators that run in the suite's own
 * process: they take the assumptions, and write to a file what they were asked.
 */

import { describeError } from "../base/file-error.ts";
import { InputError, isPlainObject, renamingField } from "../base/input.ts";
import { parseJson } from "../base/parse-json.ts";
import { createReachRecorder, REACHED, type ReachRecorder } from "../choices/reached.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { parseChoices, type SimulatorOptions } from "../simulator/simulator-options.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { defaultAssumptions, resolveAssumptions } from "../spec/assumptions/resolve.ts";
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
  const { assumptions = {} } = options;
  // What isn't an object is refused when the simulator is made.
  if (asked === undefined || !isPlainObject(assumptions)) return options;
  const chosen = parseChoices(assumptions) as Choices;
  return { ...options, assumptions: { ...openPart(asked, chosen), ...chosen } };
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
  if (chosen === undefined || reporting.has(sim)) return;
  const made = sim as SimulatorCore;
  reportReached(made);
  if (asked === undefined) return;
  const open = openPart(asked, parseChoices(chosen) as Choices);
  assumeChangeable(made, open);
  const { reset } = made;
  // A reset starts over from the options, which don't have the environment's choices.
  Object.assign(made, {
    reset(options?: Parameters<typeof reset>[0]) {
      reset(options);
      made.assume(open);
    },
  });
}

/** After events a few choices can't change any more: they stay. */
function assumeChangeable(sim: SimulatorCore, choices: Choices): void {
  try {
    sim.assume(choices);
  } catch (error) {
    const key = error instanceof InputError ? error.field.replace(/^assumptions\./, "") : "";
    if (!Object.hasOwn(choices, key)) throw error;
    const { [key]: _fixed, ...others } = choices;
    assumeChangeable(sim, others);
  }
}

const reporting = new WeakSet<object>();

/** Writes what the simulator is asked from now on to the file that `ADSIM_REACHED` names, if it names one. */
export function reportReached(sim: SimulatorCore): void {
  const file = environmentValue(REACHED);
  if (file === undefined || reporting.has(sim)) return;
  reporting.add(sim);
  const record = recorders.get(file) ?? recorderTo(file, assumptionsAsked() ?? defaultAssumptions);
  recorders.set(file, record);
  sim.journal.observe((entry) => record(entry, sim.assumptions));
}

/** By file. All simulators of a process share one, so that each kind of exchange is written once. */
const recorders = new Map<string, ReachRecorder>();

function recorderTo(file: string, asked: Assumptions): ReachRecorder {
  const { appendFileSync } = process.getBuiltinModule("node:fs");
  return createReachRecorder(asked, (reached) => {
    try {
      appendFileSync(file, `${JSON.stringify(reached)}\n`);
    } catch (error) {
      throw new InputError(
        REACHED,
        `names a file that can't be written: ${describeError(error)}. Unset the variable where the files of adsim exec and adsim matrix can't be reached`,
      );
    }
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
  const variable = (field: string): string => field.replace(/^assumptions/, ASSUMPTIONS);
  return renamingField(variable, () => resolveAssumptions(choices));
}

type Choices = Readonly<Record<string, string>>;

/** The asked choices for keys that aren't chosen. */
function openPart(asked: Assumptions, chosen: Choices): Choices {
  return Object.fromEntries(Object.entries(asked).filter(([key]) => !Object.hasOwn(chosen, key)));
}
