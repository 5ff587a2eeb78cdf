/** The options of `adsim replay`, beside those that all commands share. Checks form only. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { type CommonFlags, controlTokenSet, notEmpty } from "../options.ts";

export interface ReplayFlags extends CommonFlags {
  readonly target?: string;
  readonly load?: string;
  readonly apiKey?: string;
  readonly controlToken?: string;
  readonly keepClock?: boolean;
  readonly differences: number;
}

export function addReplayOptions(command: Command): Command {
  const token = new Option(
    "--control-token <token>",
    "what an adsim at --target asks for in its control API",
  ).argParser(notEmpty);
  return command
    .option("--target <url>", "send to this base URL, instead of a world in this process", notEmpty)
    .option("--load <file>", "begin from this snapshot instead of a fresh world", notEmpty)
    .option(
      "--api-key <key>",
      "what is sent where the recording has no key and none can be looked up",
      notEmpty,
    )
    .addOption(controlTokenSet() === undefined ? token : token.env("ADSIM_CONTROL_TOKEN"))
    .option("--keep-clock", "leave the clock of an adsim at --target alone")
    .option("--differences <count>", "how many are shown at most", count, 10);
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
