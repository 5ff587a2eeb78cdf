/** The options that commands share, and how they become a simulator's. Checks form only: bounds are the simulator's. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { ClockMode } from "../../base/clock.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { ServerOptions } from "../../server.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { Profile } from "../../world/publishers/profiles.ts";
import { type LogFormat, logFormats } from "../log/format.ts";
import type { HostProcess } from "../processes/host-process.ts";
import type { AssumptionFlags } from "./assumption-flags.ts";

/** The options of every command. */
export interface CommonFlags extends AssumptionFlags {
  readonly seed?: string;
  readonly start?: string;
  readonly clock?: ClockMode;
  readonly publishers?: number;
  readonly profile?: Profile;
  readonly json?: boolean;
}

/** More options, of a command that answers requests. */
export interface AnswerFlags extends CommonFlags {
  readonly explain?: boolean;
}

/** More options, of a command that starts one server. */
export interface ServerFlags extends AnswerFlags {
  readonly port: number;
  readonly host?: string;
  readonly controlToken?: string;
  readonly maxWorlds?: number;
  readonly cors?: readonly string[];
  readonly journalEntries?: number;
  readonly journalBytes?: number;
  /** A file of fault rules. */
  readonly faults?: string;
  /** A file with the state to go on from. */
  readonly load?: string;
  /** The name or the file of a scenario to play first. */
  readonly scenario?: string;
  /** The file that the state goes to at the end. */
  readonly saveOnExit?: string;
  /** The file that shows what happened, written at the end. */
  readonly trace?: string;
  /** `true`: in the usual format; `false`: none. */
  readonly log?: LogFormat | boolean;
}

/** The clock of a command that runs for a while. */
export function clockOption(defaultClock: ClockMode): Option {
  const says = `how time passes (default: "${defaultClock}")`;
  return new Option("--clock <mode>", says).choices(["frozen", "flowing", "system"]);
}

/** For a command in which no time passes by itself. Help hides it; it is accepted because all commands take the same options. */
export function hiddenClock(clocks?: readonly ClockMode[]): Option {
  const option = new Option("--clock <mode>").hideHelp();
  return option.choices(clocks ?? ["frozen", "flowing", "system"]);
}

const DEFAULT_START = "2026-01-15T00:00:00Z";

/** `worldIs`: `used`, or `unused` if the options of the world change nothing in the command's output. */
export function addCommonOptions(
  command: Command,
  clock: Option,
  worldIs: "used" | "unused" = "used",
): Command {
  const hasSystem = !clock.hidden && clock.argChoices?.includes("system") === true;
  const start = hasSystem ? `now with --clock system, else ${DEFAULT_START}` : DEFAULT_START;
  const ofWorld = [
    new Option("--seed <text>", 'the text that all made-up data follows from (default: "adsim")'),
    new Option(
      "--start <instant>",
      `when the world begins, in ISO 8601; made-up history lies before it (default: ${start})`,
    ),
    clock,
    new Option(
      "--publishers <count>",
      "how many made-up publishers there are (default: 25)",
    ).argParser(wholeNumber()),
    new Option("--profile <name>", 'what kind of publishers they are (default: "typical")').choices(
      ["typical", "tiny", "adversarial"],
    ),
  ];
  for (const option of ofWorld) {
    command.addOption(worldIs === "unused" ? option.hideHelp() : option);
  }
  return command
    .option(
      "--assume <KEY=CHOICE>",
      "the choice for an assumption; repeatable (see: npx adsim assumptions)",
      collectAssumption,
    )
    .option(
      "--assumptions <file>",
      "a JSON file with an object of keys and choices; --assume overrides it",
      notEmpty,
    )
    .option("--json", "write machine-readable output to stdout, and text for people to stderr");
}

export function addAnswerOptions(command: Command): Command {
  return command.option(
    "--explain",
    "list in the header X-Adsim-Assumptions of every answer which assumptions shaped it",
  );
}

/** `defaultLog`: in words, for the help. */
export function addServerOptions(
  command: Command,
  host: HostProcess,
  { defaultPort, defaultLog }: { readonly defaultPort: number; readonly defaultLog: string },
): Command {
  return addAnswerOptions(command)
    .option(
      "--port <number>",
      "the port to listen on; 0 picks a free one",
      wholeNumber(0, 65_535),
      defaultPort,
    )
    .option("--host <address>", "the address to listen on (default: 127.0.0.1)", notEmpty)
    .addOption(
      controlTokenOption(host, "the Bearer token for /_sim; needed unless --host is loopback"),
    )
    .option(
      "--cors <origin>",
      'an origin whose web pages may call the API, such as https://app.example; repeatable. "*" allows all origins, "off" allows none. Loopback origins are always allowed, except with "off"',
      (origin: string, before: readonly string[] = []) => [...before, origin],
    )
    .option(
      "--max-worlds <count>",
      "how many worlds (/@NAME) to keep; one more replaces the least recently used one (default: 200)",
      wholeNumber(),
    )
    .option(
      "--journal-entries <count>",
      "how many requests the journal of each world keeps; 0 keeps none (default: 10000)",
      wholeNumber(),
    )
    .option(
      "--journal-bytes <count>",
      "how many bytes the journals of all worlds keep together (default: 268435456)",
      wholeNumber(),
    )
    .option(
      "--faults <file>",
      "a JSON file with a fault rule, or a list of them, for every world; a reset restores them",
      notEmpty,
    )
    .option(
      "--load <file>",
      "start the default world from a saved state, with its clock and fault rules. Other options must agree with it. Only --clock may differ: it sets how time goes on. If --save-on-exit has the same file, it need not exist yet",
      notEmpty,
    )
    .option(
      "--scenario <name or file>",
      'first play this scenario to its end in the default world, in virtual time (see: npx adsim scenarios). --seed and the like override its own settings. Afterwards time goes on as --clock says (default: "flowing")',
      notEmpty,
    )
    .option(
      "--save-on-exit <file>",
      "save the state of the default world to this file at the end; if that fails, the file stays as it was",
      notEmpty,
    )
    .addOption(
      new Option(
        "--log [format]",
        `log a line for each request to any world: text to stderr, or json (NDJSON) to stdout; off logs nothing (default: ${defaultLog})`,
      ).choices(logFormats),
    )
    .addOption(new Option("--no-log", "the same as --log off"));
}

/** `flag`: the name of the option, which differs between commands. */
export function traceOption(flag: string): Option {
  const says =
    "write what happened in all worlds to this HTML file at the end: the inspector in one file, which anyone can open in a browser";
  return new Option(`${flag} <file>`, says).argParser(notEmpty);
}

/** `--control-token`, which the environment can give, too. `says`: what it is for. */
export function controlTokenOption(host: HostProcess, says: string): Option {
  const option = new Option("--control-token <token>", says).argParser(notEmpty);
  const token = environmentControlToken(host);
  return token === undefined ? option : option.default(token, "ADSIM_CONTROL_TOKEN");
}

/** For a command that sends requests to a `--target`. */
export const TARGETS_CONTROL_TOKEN = "the token for the control API of an adsim at --target";

/** Whether the option itself was given. The environment variable may be set for other commands. */
export function isTokenGiven(
  { controlToken }: { readonly controlToken?: string },
  host: HostProcess,
): boolean {
  return controlToken !== undefined && controlToken !== environmentControlToken(host);
}

/** The control token in the environment. CI sets the variable to an empty text where a secret doesn't exist. */
export function environmentControlToken({ env }: HostProcess): string | undefined {
  return env.ADSIM_CONTROL_TOKEN || undefined;
}

/** @throws InputError or CommandFailure for an assumption or a choice that doesn't exist, and for a file that can't be used. */
export async function simulatorOptions(
  flags: CommonFlags,
  defaultClock: ClockMode,
): Promise<SimulatorOptions> {
  // Loaded here since it brings the schema library, which --help doesn't need.
  const { readAssumptionFlags } = await import("./assumption-flags.ts");
  const { inForce } = await readAssumptionFlags(flags);
  return {
    seed: flags.seed,
    start: flags.start,
    clock: flags.clock ?? defaultClock,
    publishers: flags.publishers,
    profile: flags.profile,
    assumptions: inForce,
  };
}

/** @throws InputError or CommandFailure as simulatorOptions does. */
export async function serverOptions(
  flags: ServerFlags,
  defaultClock: ClockMode,
): Promise<ServerOptions> {
  return {
    ...(await simulatorOptions(flags, defaultClock)),
    explain: flags.explain,
    port: flags.port,
    host: flags.host,
    controlToken: flags.controlToken,
    maxWorlds: flags.maxWorlds,
    cors: flags.cors,
    journalEntries: flags.journalEntries,
    journalBytes: flags.journalBytes,
    faults: flags.faults === undefined ? undefined : await rulesIn(flags.faults),
  };
}

async function rulesIn(file: string): Promise<readonly FaultRule[]> {
  const { faultRules } = await import("./faults-file.ts");
  return faultRules(file);
}

/** Reads a whole number within a range. */
export function wholeNumber(
  least = 0,
  most: number = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  const to = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
  const range = least === 0 && to === "" ? "" : ` from ${least}${to}`;
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

/** @throws InvalidArgumentError for an empty text, which usually comes from a variable that isn't set. */
export function notEmpty(text: string): string {
  if (text === "--") throw new InvalidArgumentError("It is missing.");
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

function collectAssumption(
  text: string,
  before: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const at = text.indexOf("=");
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  throw new InvalidArgumentError("It must be KEY=CHOICE, such as dedup.repeat=conflict.");
}
