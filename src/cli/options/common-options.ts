/** The options that commands share, and how they become a simulator's. Checks form only: bounds are the simulator's. */

import type { ClockMode } from "../../base/clock.ts";
import type { ServerOptions } from "../../server.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import {
  type FlagsOf,
  flag,
  list,
  type Option,
  oneOf,
  text,
  usually,
  wholeNumber,
} from "./option.ts";

const assume: Option<Readonly<Record<string, string>>> = {
  takes: "<KEY=CHOICE>",
  says: "the choice for an assumption; repeatable (see: npx adsim assumptions)",
  must: "must be KEY=CHOICE, such as dedup.repeat=conflict",
  read(given, before) {
    const at = given.indexOf("=");
    return at > 0 ? { ...before, [given.slice(0, at)]: given.slice(at + 1) } : undefined;
  },
};

const profiles = ["typical", "tiny", "adversarial"] as const;
const START =
  "when the world begins, in ISO 8601 (default: 2026-01-15T00:00:00Z; now with --clock system)";

/** `modes`: which ones the command can have; the first is the default. */
function withClock(...modes: readonly ClockMode[]) {
  return {
    seed: text("<text>", 'all made-up data follows from this text (default: "adsim")'),
    start: text("<instant>", START),
    clock: oneOf("<mode>", modes, `how time passes (default: ${modes[0]})`),
    publishers: wholeNumber("how many made-up publishers there are (default: 25)"),
    profile: oneOf("<name>", profiles, "what they are like (default: typical)"),
    assume,
    assumptions: text("<file>", "a JSON file with keys and choices; --assume overrides it"),
    json: flag("write JSON to standard output, and text for people to standard error"),
  };
}

export const commonOptions = withClock("frozen", "flowing", "system");
/** The options of a command in which no time passes by itself. */
export const stillOptions = {
  ...withClock("frozen"),
  clock: oneOf("<mode>", ["frozen"] as const, "no time passes by itself"),
};
export const flowingOptions = withClock("flowing", "frozen", "system");
const systemOptions = withClock("system", "frozen", "flowing");

export type CommonFlags = FlagsOf<typeof commonOptions>;

export const explain: Option<boolean> = flag(
  "name the assumptions that shaped an answer in its header X-Adsim-Assumptions",
);

export const controlToken: Option<string> = {
  ...text("<token>", "the Bearer token for /_sim"),
  ...{ isSecret: true, variable: "ADSIM_CONTROL_TOKEN" },
};

/** The token for a `--target`. */
export const targetsToken: Option<string> = {
  ...controlToken,
  says: "the token for /_sim of an adsim at --target",
};

const logFormats = ["text", "json", "off"] as const;
export type LogFormat = (typeof logFormats)[number];

const log: Option<LogFormat> = {
  ...oneOf("<format>", logFormats, "a line for each request; json goes to standard output"),
  mayFollow: logFormats,
};

/** The options of a command that starts one server, beside the common ones. `port`: the default. */
export function serverFlags(port: number) {
  return {
    explain,
    port: usually(port, wholeNumber("the port to listen on; 0 picks a free one", 0, 65_535)),
    host: text("<address>", "the address to listen on (default: 127.0.0.1)"),
    controlToken,
    cors: list("<origin>", 'whose pages may call the API; "*" all, "off" none (default: loopback)'),
    maxWorlds: wholeNumber("how many worlds to keep; the least recently used go (default: 200)"),
    journalEntries: wholeNumber("how many requests each world's journal keeps (default: 10000)"),
    journalBytes: wholeNumber("how many bytes all journals keep (default: 268435456)"),
    faults: text("<file>", "a JSON file with the fault rules of every world"),
    load: text("<file>", "start the world default from this saved state, with its clock"),
    scenario: text(
      "<name or file>",
      "start it from the end of this scenario, with a clock that flows",
    ),
    saveOnExit: text("<file>", "save the state of the world default at the end"),
    trace: text("<file>", "write the inspector with what happened to this HTML file at the end"),
    log,
    noLog: flag("the same as --log off"),
  };
}

export const serveOptions = { ...systemOptions, ...serverFlags(4010) };
export type ServerFlags = FlagsOf<typeof serveOptions>;

/** @throws InputError or CommandFailure for an assumption or a choice that doesn't exist, and for a file that can't be used. */
export async function simulatorOptions(
  flags: CommonFlags,
  defaultClock: ClockMode,
): Promise<SimulatorOptions> {
  // Loaded here since it brings the schema library, which --help doesn't need.
  const { readAssumptionFlags } = await import("./assumption-flags.ts");
  const { seed, start, clock = defaultClock, publishers, profile } = flags;
  const { inForce: assumptions } = await readAssumptionFlags(flags);
  return { seed, start, clock, publishers, profile, assumptions };
}

const RULES =
  'It must have a rule or a list of rules, such as {"match": {"operation": "click"}, "verdict": {"kind": "drop"}}.';

/** The rules of `--faults` are checked when worlds begin. @throws InputError or CommandFailure as simulatorOptions does. */
export async function serverOptions(
  flags: ServerFlags,
  defaultClock: ClockMode,
): Promise<ServerOptions> {
  const { explain, port, host, controlToken, maxWorlds, cors, journalEntries, journalBytes } =
    flags;
  const { jsonFile } = await import("./assumption-flags.ts");
  const rules = flags.faults && [await jsonFile("--faults", flags.faults, RULES)].flat();
  return {
    ...(await simulatorOptions(flags, defaultClock)),
    ...{ explain, port, host, controlToken, maxWorlds, cors, journalEntries, journalBytes },
    faults: rules as ServerOptions["faults"],
  };
}
