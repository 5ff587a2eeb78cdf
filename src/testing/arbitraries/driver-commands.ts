/**
 * Commands for fast-check's own model-based testing, performed by a driver in a simulated world. Who needs nothing but a
 * sequence and a finished life takes `arbitraryCommands` and `runSession`.
 */

import type fc from "fast-check";
import type { CreateDriver, Driver } from "../driver/driver.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
import { type Command, isOfClient } from "../session/command.ts";
import { beginSession, type RunningSession } from "../session/run-session.ts";
import type { Session, Step } from "../session/session.ts";
import { commandInWords } from "../session/words.ts";
import { type ArbitraryCommandKindsOptions, type Planned, weightedCommands } from "./commands.ts";
import { resolveWait } from "./edges.ts";

/** What is known of a running life: the model of a model-based test. */
export interface DriverModel {
  /** What was done so far, and what came of it; the opening first. */
  readonly steps: readonly Step[];
  /** As far as it has come. */
  readonly session: Session;
  /** Whether there is anything to do for it: a showing to click on, a method of the driver. */
  can(command: Command): boolean;
}

/** What commands are run on. It is ended by who began it. */
export type CommandTarget = Pick<RunningSession, "world" | "perform">;

export type DriverCommand = fc.AsyncCommand<DriverModel, CommandTarget>;

export interface DriverCommandsOptions extends ArbitraryCommandKindsOptions {
  /** Called after each command; what it throws fails the run, and shrinks it. @default nothing is held against a step */
  readonly afterEach?: ((step: Step, model: DriverModel) => void | Promise<void>) | undefined;
}

/**
 * One arbitrary a kind, as many times as its weight says, for `fc.commands`, with or without commands of your own. Run
 * them by `fc.asyncModelRun` on what {@link withDriver} gives.
 *
 * @throws InputError that names the option at fault.
 */
export function driverCommands(options: DriverCommandsOptions = {}): fc.Arbitrary<DriverCommand>[] {
  const { afterEach, ...kinds } = options;
  const { commands, longestWaitMs } = weightedCommands(kinds);
  return commands.flatMap(({ weight, arbitrary }) => {
    const made = arbitrary.map(
      (planned): DriverCommand => new Performed(planned, longestWaitMs, afterEach),
    );
    return Array.from({ length: weight }, () => made);
  });
}

/**
 * Begins a life, has it run by `act`, and ends it in any case.
 *
 * @returns the finished life.
 * @throws what `act` throws, or else what a callback of the client's timers did.
 */
export async function withDriver<Impression>(
  createDriver: CreateDriver<Impression>,
  act: (run: { readonly model: DriverModel; readonly real: CommandTarget }) => Promise<unknown>,
  options: TestWorldOptions = {},
): Promise<Session> {
  let driver: Driver<Impression> | undefined;
  const life = await beginSession(async (context) => {
    driver = await createDriver(context);
    return driver;
  }, options);
  const { session, world } = life;
  const can = (command: Command): boolean => isPossible(command, driver, session);
  const model: DriverModel = { session, can, steps: session.steps };
  let finished: Session | undefined;
  try {
    await act({ model, real: { world, perform: life.perform } });
  } finally {
    finished = await life.end();
  }
  if (finished.threw !== undefined) throw finished.threw.error;
  return finished;
}

function isPossible<Impression>(
  command: Command,
  driver: Driver<Impression> | undefined,
  session: Session,
): boolean {
  const { kind } = command;
  if (kind === "together") return command.commands.some((one) => isPossible(one, driver, session));
  if (!isOfClient(command)) return true;
  const { showings } = session;
  if (driver === undefined) return false;
  if (command.kind === "again") return showings.length > 0;
  if (driver[command.kind] === undefined) return false;
  return kind !== "click" || showings.some(({ receipt }) => receipt !== undefined);
}

class Performed implements DriverCommand {
  readonly planned: Planned;
  readonly longestMs: number;
  readonly afterEach: DriverCommandsOptions["afterEach"];

  constructor(planned: Planned, longestMs: number, afterEach: DriverCommandsOptions["afterEach"]) {
    this.planned = planned;
    this.longestMs = longestMs;
    this.afterEach = afterEach;
  }

  check(model: Readonly<DriverModel>): boolean {
    const { planned } = this;
    return planned.kind === "advance" || model.can(planned);
  }

  async run(model: DriverModel, real: CommandTarget): Promise<void> {
    const step = await real.perform(this.#commandNow(model));
    await this.afterEach?.(step, model);
  }

  /** Windows count from the beginning of the latest showing. */
  #commandNow({ session, steps }: DriverModel): Command {
    const { planned, longestMs } = this;
    if (planned.kind !== "advance") return planned;
    const nowMs = session.sim.clock.now();
    const sinceMs = steps.findLast(({ shown }) => shown !== undefined)?.atMs ?? nowMs;
    const { byMs } = resolveWait(planned.wait, { nowMs, sinceMs, longestMs });
    return { kind: "advance", byMs };
  }

  toString(): string {
    const { planned } = this;
    if (planned.kind !== "advance") return commandInWords(planned);
    const { edge, nudgeMs, ms } = planned.wait;
    if (edge === undefined) return commandInWords({ kind: "advance", byMs: ms });
    return `time passes until ${near[nudgeMs]}${edge}`;
  }
}

const near = { "-1": "1 ms before ", "0": "", "1": "1 ms after " } as const;
