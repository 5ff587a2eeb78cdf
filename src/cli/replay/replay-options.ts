/** The options of `adsim replay`, beside those that all commands share. Checks form only. */

import { type Command, Option } from "commander";
import {
  type CommonFlags,
  controlTokenOption,
  notEmpty,
  TARGETS_CONTROL_TOKEN,
  wholeNumber,
} from "../options/common-options.ts";
import type { HostProcess } from "../processes/host-process.ts";

export interface ReplayFlags extends CommonFlags {
  readonly target?: string;
  readonly load?: string;
  readonly apiKey?: string;
  readonly controlToken?: string;
  readonly keepClock?: boolean;
  readonly differences: number;
}

/** It has no list of choices: any but `frozen` gets an error that says why. */
export function replayClock(): Option {
  return new Option(
    "--clock <mode>",
    'give "frozen" to let time stand still (default: time follows the recording)',
  );
}

export function addReplayOptions(command: Command, host: HostProcess): Command {
  return command
    .option("--target <url>", "send to this base URL instead of a world in this process", notEmpty)
    .option("--load <file>", "start from this snapshot instead of a new world", notEmpty)
    .option(
      "--api-key <key>",
      "the API key to send if the recording has none and adsim can't look it up",
      notEmpty,
    )
    .addOption(controlTokenOption(host, TARGETS_CONTROL_TOKEN))
    .option("--keep-clock", "don't touch the clock of an adsim at --target")
    .option("--differences <count>", "how many differences to show at most", wholeNumber(), 10);
}
