/** The options of `adsim replay`, beside those that all commands share. Checks form only. */

import type { Command } from "commander";
import {
  type CommonFlags,
  controlTokenOption,
  notEmpty,
  TARGETS_CONTROL_TOKEN,
  wholeNumber,
} from "../options/common-options.ts";

export interface ReplayFlags extends CommonFlags {
  readonly target?: string;
  readonly load?: string;
  readonly apiKey?: string;
  readonly controlToken?: string;
  readonly keepClock?: boolean;
  readonly differences: number;
}

export function addReplayOptions(command: Command): Command {
  return command
    .option("--target <url>", "send to this base URL, instead of a world in this process", notEmpty)
    .option("--load <file>", "begin from this snapshot instead of a fresh world", notEmpty)
    .option(
      "--api-key <key>",
      "what is sent where the recording has no key and none can be looked up",
      notEmpty,
    )
    .addOption(controlTokenOption(TARGETS_CONTROL_TOKEN))
    .option("--keep-clock", "leave the clock of an adsim at --target alone")
    .option("--differences <count>", "how many are shown at most", wholeNumber(), 10);
}
