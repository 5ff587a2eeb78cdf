/**
 * Commands for fast-check's model-based testing, performed by a driver in a simulated world. If you only need a
 * sequence and its finished session, use `arbitraryCommands` and `runSession`.
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

/** The model of a model-based test: the running session. */
export interface DriverModel {
  /** The steps so far, beginning with the opening. */
  readonly steps: readonly Step[];
  /** The session so far. */
  readonly session: Session;
  /** False if the command would be skipped: there is no view to click on, or the driver lacks the method. */
  can(command: Command): boolean;
}

/** The real system of a model-based test. Whoever began it has to end it. */
export type CommandTarget = Pick<RunningSession, "world" | "perform">;

export type DriverCommand = fc.AsyncCommand<DriverModel, CommandTarget>;

export interface DriverCommandsOptions extends ArbitraryCommandKindsOptions {
  /** Called after each command. If it throws, the run fails and shrinks. @default no check */
  readonly afterEach?: ((step: Step, model: DriverModel) => void | Promise<void>) | undefined;
}

/**
 * For `fc.commands`, with or without commands of your own: the arbitrary of each kind, repeated by its weight. Run the
 * commands with `fc.asyncModelRun` inside {@link withDriver}.
 *
 * @throws InputError that names the invalid option.
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
 * Begins a session, lets `act` run it, and ends it in any case.
 *
 * @returns the finished session.
 * @throws what `act` throws; otherwise what a callback of a client's timer threw.
 */
export async function withDriver<Impression>(
  createDriver: CreateDriver<Impression>,
  act: (run: { readonly model: DriverModel; readonly real: CommandTarget }) => Promise<unknown>,
  options: TestWorldOptions = {},
): Promise<Session> {
  let driver: Driver<Impression> | undefined;
  const running = await beginSession(async (context) => {
    driver = await createDriver(context);
    return driver;
  }, options);
  const { session, world } = running;
  const can = (command: Command): boolean => isPossible(command, driver, session);
  const model: DriverModel = { session, can, steps: session.steps };
  let finished: Session | undefined;
  try {
    await act({ model, real: { world, perform: running.perform } });
  } finally {
    finished = await running.end();
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
  const { views } = session;
  if (driver === undefined) return false;
  if (command.kind === "again") return views.length > 0;
  if (driver[command.kind] === undefined) return false;
  return kind !== "click" || views.some(({ receipt }) => receipt !== undefined);
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

  /** Windows count from the latest ad view. */
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
