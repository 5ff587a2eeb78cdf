/** Exit codes, and failures that the user can fix. */

import type { InputError } from "../../base/input.ts";

export const exitCodes = { fine: 0, checkFailed: 1, wrongUsage: 2, couldNotRun: 3 } as const;

/** A failure that is shown to the user without a stack trace. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** @returns the error to throw if the command line is wrong. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(exitCodes.wrongUsage, message);
}

/** @returns the error to throw if a file, a folder or a service is the problem. */
export function couldNotRun(message: string): CommandFailure {
  return new CommandFailure(exitCodes.couldNotRun, message);
}

/** The exit code for `error`, and the message for the user. */
export function describeFailure(error: unknown): Pick<CommandFailure, "exitCode" | "message"> {
  if (error instanceof CommandFailure) return error;
  const { name, message, stack, cause } = Object(error) as Error;
  // By name: importing the class would load the schema library even for --help.
  if (name === "InputError") return wrongUsage(inOptionNames(error as InputError));
  // An error of the operating system, such as a port in use: the wrapping error says what to do.
  const isSystems = cause instanceof Error && "syscall" in cause;
  const isOurs = name === "SnapshotFileError" || name === "TargetError";
  if (isSystems || isOurs) return couldNotRun(message);
  const trace = stack ?? String(error);
  return couldNotRun(`failed because of a bug in adsim. Please report it.\n${trace}`);
}

function inOptionNames({ field, expected }: InputError): string {
  const [name = "", ...inside] = field.split(".");
  if (name === "steps") return `${field} ${expected}`;
  const option = name === "assumptions" ? "--assume" : flagOf(name);
  return `${[option, inside.join(".")].filter(Boolean).join(": ")} ${expected}`;
}

/** `--max-worlds` of `maxWorlds`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
