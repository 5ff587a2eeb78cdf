/** The options of `adsim play` and `adsim export`, beside those that all commands share. Checks form only, and loads nothing. */

import { type Command, InvalidArgumentError } from "commander";
import {
  type CommonFlags,
  controlTokenOption,
  notEmpty,
  TARGETS_CONTROL_TOKEN,
  wholeNumber,
} from "../options/common-options.ts";
import { type ReportTarget, reportOption } from "../output/report-option.ts";
import type { HostProcess } from "../processes/host-process.ts";
import type { CredentialFlags, CredentialWord } from "./credentials.ts";

/** The reports of a play. */
const reportKinds = ["junit", "json", "html"] as const;

export interface PlayFlags extends CommonFlags, CredentialFlags {
  readonly target?: string;
  readonly speed?: number;
  readonly report?: readonly ReportTarget<(typeof reportKinds)[number]>[];
  readonly controlToken?: string;
  readonly maxRequests?: number;
  readonly runId?: string;
  readonly wait?: boolean;
  readonly playable?: boolean;
}

export function addPlayOptions(command: Command, host: HostProcess): Command {
  command
    .option(
      "--target <url>",
      "play against this base URL instead of a world in this process",
      notEmpty,
    )
    .option(
      "--speed <number>",
      "with --target: how many times as fast as real time, such as 60 or 0.5 (default: no waiting if the target is an adsim, else real time)",
      speed,
    )
    .option(
      "--playable",
      "instead of SCENARIO: play all scenarios that come with adsim and that a service other than adsim can play at once",
    )
    .option(
      "--run-id <id>",
      "at a service other than adsim: a part of every session id, so that runs don't share sessions (default: random, and the report says it)",
      notEmpty,
    )
    .option(
      "--wait",
      "at a service other than adsim: play even if it takes more than a minute of real time",
    )
    .addOption(reportOption(reportKinds))
    .addOption(controlTokenOption(host, TARGETS_CONTROL_TOKEN));
  return addTrafficOptions(command);
}

/** Options of commands whose traffic can go to a service other than adsim. */
export function addTrafficOptions(command: Command): Command {
  command.option(
    "--max-requests <count>",
    "how many requests a scenario may plan to send (default: 20000000)",
    wholeNumber(1),
  );
  return addCredentialOptions(command);
}

/** Publishers of a service that gives out no keys: `--api-key` and `--publisher` name one, `--surface` its surfaces. */
export function addCredentialOptions(command: Command): Command {
  const words: CredentialWord[] = [];
  const collect =
    (kind: CredentialWord["kind"]) =>
    (text: string): readonly CredentialWord[] => {
      words.push({ kind, text: notEmpty(text) });
      return words;
    };
  return command
    .option(
      "--api-key <key>",
      "for a service other than adsim: the API key of one of its publishers; repeatable, each with its --publisher",
      collect("apiKey"),
    )
    .option(
      "--publisher <id>",
      "the id of that publisher; the first one is the scenario's publisher 0",
      collect("publisher"),
    )
    .option(
      "--surface <id>",
      "the id of one of its surfaces; repeatable (default: adsim asks the service)",
      collect("surface"),
    );
}

function speed(text: string): number {
  const value = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError("It must be a number above 0, such as 60 or 0.5.");
}
