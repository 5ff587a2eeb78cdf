/**
 * What `adsim exec` and `adsim matrix` put into the environment of a test suite, for simulators that run in the suite's own
 * process: they take the assumptions, and write to a file what they were asked.
 */

import { describeError } from "../base/file-error.ts";
import { InputError, inField, renamingField } from "../base/input.ts";
import { parseJson } from "../base/parse-json.ts";
import {
  createReachRecorder,
  REACHED,
  type Reached,
  type ReachRecorder,
} from "../choices/reached.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { parseChoices, type SimulatorOptions } from "../simulator/simulator-options.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import {
  defaultAssumptions,
  nonDefaultChoices,
  resolveAssumptions,
} from "../spec/assumptions/resolve.ts";
import { createSimulator, type Simulator } from "./create-simulator.ts";

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
  const own = inField("assumptions", () => parseChoices(options.assumptions ?? {}));
  return { ...options, assumptions: { ...asked, ...own } };
}

/**
 * Puts a simulator that exists under the environment's assumptions, also after each reset, and reports what it is asked.
 * Choices that aren't the default stay.
 *
 * @throws InputError, also if it has had requests after which one of the assumptions can't change any more.
 */
export function takeEnvironment(
  sim: Pick<SimulatorCore, "assumptions" | "assume" | "reset" | "journal">,
): void {
  if (reporting.has(sim)) return;
  reportReached(sim);
  const asked = assumptionsAsked();
  if (asked === undefined) return;
  const take = (): void => {
    sim.assume({ ...asked, ...nonDefaultChoices(sim.assumptions) });
  };
  take();
  const { reset } = sim;
  const resetAndTake = (options?: Parameters<typeof reset>[0]): void => {
    reset(options);
    take();
  };
  Object.assign(sim, { reset: resetAndTake });
}

const reporting = new WeakSet<object>();

/** Writes what the simulator is asked from now on to the file that `ADSIM_REACHED` names, if it names one. */
export function reportReached(sim: Pick<SimulatorCore, "assumptions" | "journal">): void {
  reporting.add(sim);
  const file = environmentValue(REACHED);
  if (file === undefined) return;
  const asked = assumptionsAsked() ?? defaultAssumptions;
  const record =
    recorders.get(file) ?? createReachRecorder(asked, (reached) => append(file, reached));
  recorders.set(file, record);
  sim.journal.observe((entry) => record(entry, sim.assumptions));
}

/** By file. All simulators of a process share one, so that each kind of exchange is written once. */
const recorders = new Map<string, ReachRecorder>();

function append(file: string, reached: Reached): void {
  try {
    process.getBuiltinModule("node:fs").appendFileSync(file, `${JSON.stringify(reached)}\n`);
  } catch (error) {
    throw new InputError(
      REACHED,
      `names a file that can't be written: ${describeError(error)}. Unset the variable where the files of adsim exec and adsim matrix can't be reached`,
    );
  }
}

/** @throws InputError that says what is wrong with the variable. */
function assumptionsAsked(): Assumptions | undefined {
  const text = environmentValue(ASSUMPTIONS);
  if (text === undefined) return undefined;
  const choices = parseJson(text, (mistake) => new InputError(ASSUMPTIONS, mistake));
  const variable = (field: string): string => field.replace(/^assumptions/, ASSUMPTIONS);
  return renamingField(variable, () =>
    resolveAssumptions(inField("assumptions", () => parseChoices(choices))),
  );
}
