/** The options of single commands. Checks form only, and loads nothing: help must come at once. */

import { DAY_MS, durationMs, isDuration } from "../../base/duration.ts";
import type { ReportTarget } from "../output/reports.ts";
import { serverFlags, targetsToken, withClock } from "./common-options.ts";
import { flag, list, type Option, text, usually, wholeNumber } from "./option.ts";

export const execOptions = {
  ...withClock("flowing"),
  ...serverFlags({ port: 0, log: "off" }),
  failOnFindings: flag("exit with 1 if CMD exits with 0 and the client report has findings"),
  coverage: flag("show at the end which parts of the API CMD has reached"),
};

/** A word and its place among the arguments. */
export interface PlacedWord {
  readonly text: string;
  readonly place: number;
}

/** Publishers of a service that gives out no keys: `--api-key` and `--publisher` name one, `--surface` its surfaces. */
function placed(takes: string, says: string): Option<readonly PlacedWord[]> {
  return {
    ...{ takes, says, must: "must not be empty" },
    read: (given, before = [], place) =>
      given === "" ? undefined : [...before, { text: given, place }],
  };
}

const credentialOptions = {
  apiKey: {
    ...placed(
      "<key>",
      "for a service other than adsim: the API key of one of its publishers; repeatable, each with its --publisher",
    ),
    isSecret: true,
  },
  publisher: placed(
    "<id>",
    "the id of that publisher; the first one is the scenario's publisher 0",
  ),
  surface: placed(
    "<id>",
    "the id of one of its surfaces; repeatable (default: adsim asks the service)",
  ),
};

export const trafficOptions = {
  maxRequests: wholeNumber("how many requests a scenario may plan to send (default: 20000000)", 1),
  ...credentialOptions,
};

/** `--report KIND=FILE` for these kinds. Several can be given with commas or by repeating the option. */
function reportOption<Kind extends string>(
  kinds: readonly Kind[],
): Option<readonly ReportTarget<Kind>[]> {
  const forms = kinds.map((kind) => `${kind}=FILE`).join(", ");
  const choice = `${forms}, or several with commas between`;
  return {
    takes: "<KIND=FILE>",
    says: `write a report to a file: ${choice}; repeatable`,
    must: `must be ${choice}`,
    read(given, before = []) {
      // A comma belongs to a path unless another kind follows.
      const targets = given.split(/,(?=[a-z]+=)/).flatMap((part) => {
        const [, name, file = ""] = /^([a-z]+)=(.+)$/s.exec(part) ?? [];
        const kind = kinds.find((each) => each === name);
        return kind === undefined ? [] : [{ kind, file }];
      });
      const isWhole = targets.length === given.split(/,(?=[a-z]+=)/).length;
      return isWhole ? [...before, ...targets] : undefined;
    },
  };
}

const speed: Option<number> = {
  takes: "<number>",
  says: "with --target: how many times as fast as real time, such as 60 or 0.5 (default: no waiting if the target is an adsim, else real time)",
  must: "must be a number above 0, such as 60 or 0.5",
  read: (given) => (/^\d{1,9}(?:\.\d{1,6})?$/.test(given) && Number(given)) || undefined,
};

export const playOptions = {
  target: text("<url>", "play against this base URL instead of a world in this process"),
  speed,
  runId: text(
    "<id>",
    "at a service other than adsim: a part of every session id, so that runs don't share sessions (default: random, and the report says it)",
  ),
  wait: flag(
    "at a service other than adsim: play even if a scenario takes more than a minute of real time",
  ),
  report: reportOption(["junit", "json", "html"]),
  controlToken: targetsToken,
  ...trafficOptions,
};

const strength: Option<1 | 2 | 3> = {
  takes: "<number>",
  says: "how many choices to try in all combinations: 1, 2 or 3",
  must: "must be one of 1, 2, 3",
  read: (given) => ([1, 2, 3] as const).find((one) => String(one) === given),
};

const timeLimit: Option<number> = {
  takes: "<duration>",
  says: "how long a CMD may run, such as 90s (default: 5m)",
  must: "must be a duration from 1ms to 24d, such as 90s",
  read(given) {
    const duration = /^\d+$/.test(given) ? Number(given) : given;
    const ms = isDuration(duration) ? durationMs(duration) : 0;
    return ms > 0 && ms <= 24 * DAY_MS ? ms : undefined;
  },
};

export const matrixOptions = {
  strength: usually(2, strength),
  jobs: wholeNumber(
    "how many CMDs may run at the same time (default: one for each core)",
    1,
    999_999,
  ),
  timeLimit,
  only: list("<KEY,KEY>", "vary only these keys"),
  report: reportOption(["junit", "json"]),
  keepOutput: text(
    "<folder>",
    "the folder for the whole output of failing runs (default: a new temporary folder)",
  ),
};

export const replayOptions = {
  target: text("<url>", "send to this base URL instead of a world in this process"),
  load: text("<file>", "start from this snapshot instead of a new world"),
  controlToken: targetsToken,
  wait: flag("at another service: also wait between the requests as recorded"),
  ...credentialOptions,
  differences: usually(10, wholeNumber("how many differences to show at most")),
};
