/** What is said where nobody answers at `--target`. */

import { CommandFailure, exitCodes } from "../exit.ts";

export function unreachableAt(target: string, why: string): CommandFailure {
  return new CommandFailure(
    exitCodes.couldNotRun,
    `--target ${target} can't be reached: ${why}. Start the service, or check the address.`,
  );
}
