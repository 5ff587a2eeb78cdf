/** The options of `adsim replay`, beside those that all commands share. Checks form only. */

import type { Command } from "commander";
import {
  type CommonFlags,
  controlTokenOption,
  notEmpty,
  TARGETS_CONTROL_TOKEN,
  wholeNumber,
} from "../options/common-options.ts";
import type { CredentialFlags } from "../play/credentials.ts";
import { addCredentialOptions } from "../play/play-options.ts";
import type { HostProcess } from "../processes/host-process.ts";

export interface ReplayFlags extends CommonFlags, CredentialFlags {
  readonly target?: string;
  readonly load?: string;
  readonly controlToken?: string;
  readonly wait?: boolean;
  readonly differences: number;
}

export function addReplayOptions(command: Command, host: HostProcess): Command {
  addCredentialOptions(command);
  return command
    .option("--target <url>", "send to this base URL instead of a world in this process", notEmpty)
    .option("--load <file>", "start from this snapshot instead of a new world", notEmpty)
    .addOption(controlTokenOption(host, TARGETS_CONTROL_TOKEN))
    .option("--wait", "at another service: also wait between the requests as recorded")
    .option("--differences <count>", "how many differences to show at most", wholeNumber(), 10);
}
