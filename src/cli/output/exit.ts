/** How a command ends: exit codes, and the failures that a user can do something about. */

import type { InputError } from "../../base/input.ts";

export const exitCodes = { fine: 0, checkFailed: 1, wrongUsage: 2, couldNotRun: 3 } as const;

/** A failure whose message is for the user, without a stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** @returns what to throw where the user is to write something else. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(exitCodes.wrongUsage, message);
}

/** @returns what to throw where a file, a folder or a service is at fault. */
export function couldNotRun(message: string): CommandFailure {
  return new CommandFailure(exitCodes.couldNotRun, message);
}

/** What a target over HTTP threw: whoever is there is at fault, unless an option or a bug is. */
export function failureAtTarget(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandFailure || isBug(error)) return error;
  return couldNotRun(error.message);
}

/** Nobody at a target throws these; an InputError is one of them. */
function isBug(error: Error): boolean {
  return (
    error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
  );
}

const optionNames: Readonly<Record<string, string>> = {
  controlToken: "--control-token",
  maxWorlds: "--max-worlds",
  worldBytes: "--world-bytes",
  journalEntries: "--journal-entries",
  journalBytes: "--journal-bytes",
  cors: "--cors",
};

/** What to tell the user about `error`, and the exit code. */
export function describeFailure(error: unknown): {
  readonly exitCode: number;
  readonly message: string;
} {
  if (error instanceof CommandFailure) return { exitCode: error.exitCode, message: error.message };
  if (isInputError(error)) {
    return { exitCode: exitCodes.wrongUsage, message: inOptionNames(error) };
  }
  if (error instanceof Error && (isSystemError(error.cause) || isAboutFile(error))) {
    return { exitCode: exitCodes.couldNotRun, message: error.message };
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = `failed because of a bug in adsim. Please report it.\n${trace}`;
  return { exitCode: exitCodes.couldNotRun, message };
}

/** What the operating system refused, such as a port in use. Who wraps it has said what to do. */
function isSystemError(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause;
}

/** A snapshot or a recording that is of no use. By name, as below. */
function isAboutFile({ name }: Error): boolean {
  return name === "SnapshotFileError" || name === "RecordingError";
}

// By name, since loading the class would load the schema library on the way to --help.
function isInputError(error: unknown): error is InputError {
  return error instanceof Error && error.name === "InputError" && "field" in error;
}

function inOptionNames({ field, expected }: InputError): string {
  const assumption = /^assumptions\.(.+)$/s.exec(field)?.[1];
  if (assumption !== undefined) return `--assume: ${assumption} ${expected}`;
  return `${optionNames[field] ?? `--${field}`} ${expected}`;
}
