/** What a command is: a row of the table in `cli/commands.ts`. */

import type { HostProcess } from "../processes/host-process.ts";
import type { FlagsOf, Options } from "./option.ts";

/** The arguments that aren't options. */
export interface Words {
  readonly name: string;
  /** What they are, in words that follow "Give". */
  readonly says: string;
  /** `command`: all that follows is a command line of its own. */
  readonly kind: "one" | "several" | "command";
  readonly isOptional?: boolean;
}

/** A command's arguments. */
export interface Parsed {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  /** The options as they were given, with keys replaced. `names`: only these. */
  readonly given: (names?: readonly string[]) => readonly string[];
}

/** A command as it was called. */
export interface Call<Flags> extends Omit<Parsed, "flags"> {
  readonly flags: Flags;
  readonly host: HostProcess;
}

export interface Command {
  readonly name: string;
  /** A line for the list. */
  readonly says: string;
  readonly words?: Words | undefined;
  readonly options: Options;
  /** What the help ends with. */
  readonly more?: string | undefined;
  /** @returns the exit code, if that isn't 0. @throws CommandFailure, InputError */
  readonly run: (call: Call<never>) => Promise<number | undefined>;
}

/** Gives `run` the type of flags that follows from the options. */
export function command<All extends Options>(
  row: Omit<Command, "run" | "options"> & {
    readonly options: All;
    readonly run: (call: Call<FlagsOf<All>>) => Promise<number | undefined>;
  },
): Command {
  return row;
}
