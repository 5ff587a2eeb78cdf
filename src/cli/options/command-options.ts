/** The options of single commands. Checks form only, and loads nothing: help must come at once. */

import { DAY_MS, durationMs, isDuration } from "../../base/duration.ts";
import type { ServiceCredentials } from "../../play/targets/target.ts";
import { wrongUsage } from "../output/exit.ts";
import type { ReportTarget } from "../output/reports.ts";
import {
  commonOptions,
  controlToken,
  explain,
  flowingOptions,
  serverFlags,
  stillOptions,
  targetsToken,
} from "./common-options.ts";
import { flag, list, needed, type Option, oneOf, text, usually, wholeNumber } from "./option.ts";

export const execOptions = {
  ...flowingOptions,
  ...serverFlags(0),
  failOnFindings: flag("exit with 1 if CMD exits with 0 and the client report has findings"),
  coverage: flag("say at the end which parts of the API CMD has reached, and which it hasn't"),
};

type CredentialWord = readonly [kind: "apiKey" | "publisher" | "surface", text: string];

function credential(kind: CredentialWord[0], takes: string, says: string) {
  return {
    ...{ takes, says: `${says}; repeatable`, must: "must not be empty", into: "publisher" },
    read: (text: string, before: readonly CredentialWord[] = []) =>
      text === "" ? undefined : [...before, [kind, text] as const],
  };
}

/** Publishers of a service that gives out no keys. All three options add to `publisher`, in the order of the arguments. */
const credentialOptions = {
  apiKey: {
    ...credential("apiKey", "<key>", "the key of a publisher of another service"),
    isSecret: true,
  },
  publisher: credential("publisher", "<id>", "the id of that publisher; the first is publisher 0"),
  surface: credential("surface", "<id>", "one of its surfaces (default: the service is asked)"),
};

const trafficOptions = {
  maxRequests: wholeNumber("how many requests a scenario may plan (default: 20000000)", 1),
  ...credentialOptions,
};

export const exportOptions = {
  to: needed(oneOf("<tool>", ["artillery", "k6"] as const, "the load generator")),
  target: text("<url>", "the base URL that it sends to (default: http://127.0.0.1:4010)"),
  out: text("<file>", "the file to write (default: standard output)"),
  ...commonOptions,
  ...trafficOptions,
};

const target = text("<url>", "the base URL of an adsim or of another service (default: none)");

/** `--report KIND=FILE` for these kinds. Several can be given with commas or by repeating the option. */
function reportOption<Kind extends string>(
  kinds: readonly Kind[],
): Option<readonly ReportTarget<Kind>[]> {
  const forms = kinds.map((kind) => `${kind}=FILE`).join(", ");
  return {
    takes: "<KIND=FILE>",
    says: `write a report to a file: ${forms}; repeatable`,
    must: `must be ${forms}, or several with commas between`,
    read(given, before = []) {
      // A comma belongs to a path unless another kind follows.
      const parts = given.split(/,(?=[a-z]+=)/).map((part) => {
        const [, name, file = ""] = /^([a-z]+)=(.+)$/s.exec(part) ?? [];
        const kind = kinds.find((each) => each === name);
        return kind && { kind, file };
      });
      const targets = parts.filter((part) => part !== undefined);
      return targets.length === parts.length ? [...before, ...targets] : undefined;
    },
  };
}

const speed: Option<number> = {
  takes: "<number>",
  says: "how many times as fast as real time (default: an adsim doesn't wait, others take real time)",
  must: "must be a number above 0, such as 60 or 0.5",
  read: (given) => (/^\d{1,9}(?:\.\d{1,6})?$/.test(given) && Number(given)) || undefined,
};

export const playOptions = {
  ...stillOptions,
  target,
  speed,
  runId: text("<id>", "a part of every session id at another service (default: random)"),
  wait: flag("at another service: play even if it takes more than a minute of real time"),
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
  ...flowingOptions,
  ...{ explain, controlToken },
  strength: usually(2, strength),
  jobs: wholeNumber("how many CMDs may run at once (default: one for each core)", 1, 999_999),
  timeLimit,
  only: list("<KEY,KEY>", "vary only these keys"),
  report: reportOption(["junit", "json"]),
  keepOutput: text("<folder>", "where the output of failing runs goes (default: a temporary one)"),
};

export const recordOptions = {
  name: text("<name>", "the scenario's name (default: from FILE)"),
  out: text("<file>", "the file to write (default: standard output)"),
  signUp: flag("let the publishers of another service sign up, to play in a world of adsim"),
};

export const replayOptions = {
  ...stillOptions,
  target,
  controlToken: targetsToken,
  wait: flag("at another service: also wait between the requests as recorded"),
  ...credentialOptions,
  differences: usually(10, wholeNumber("how many differences to show at most")),
};

/** Without surfaces, the service is asked for them. */
export interface GivenPublisher extends ServiceCredentials {
  readonly surfaces: readonly string[];
}

/** A second key or publisher begins the next group. @throws CommandFailure for a key or publisher without the other. */
export function givenPublishers(words: readonly CredentialWord[] = []): readonly GivenPublisher[] {
  const groups: { apiKey?: string; publisher?: string; surfaces: string[] }[] = [];
  for (const [kind, text] of words) {
    let group = groups.at(-1);
    if (group === undefined || (kind !== "surface" && group[kind] !== undefined)) {
      group = { surfaces: [] };
      groups.push(group);
    }
    if (kind === "surface") group.surfaces.push(text);
    else group[kind] = text;
  }
  return groups.map(({ apiKey, publisher: id, surfaces }) => {
    if (apiKey !== undefined && id !== undefined) return { id, apiKey, surfaces };
    const given = apiKey ? "--api-key" : id ? "--publisher" : "--surface";
    throw wrongUsage(
      `${given} ${apiKey ? "needs --publisher" : "needs --api-key"}. Give each publisher as --api-key KEY --publisher ID, with a --surface ID for each of its surfaces.`,
    );
  });
}
