/** The options that commands share, and how they become a simulator's. Checks form only: bounds are the simulator's. */

import type { ClockMode } from "../../base/clock.ts";
import type { ServerOptions } from "../../server.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { HostProcess } from "../processes/host-process.ts";
import {
  type FlagsOf,
  flag,
  hidden,
  list,
  type Option,
  oneOf,
  secret,
  text,
  usually,
  wholeNumber,
} from "./option.ts";

const clocks = ["frozen", "flowing", "system"] as const;
const DEFAULT_START = "2026-01-15T00:00:00Z";

/** The options of every command that makes a world. Without {@link withClock}, no time passes by itself, and help hides the clock. */
export const commonOptions = {
  seed: text("<text>", 'the text that all made-up data follows from (default: "adsim")'),
  start: text(
    "<instant>",
    `when the world begins, in ISO 8601; made-up history lies before it (default: ${DEFAULT_START})`,
  ),
  clock: hidden(oneOf("<mode>", clocks, "how time passes")),
  publishers: wholeNumber("how many made-up publishers there are (default: 25)"),
  profile: oneOf(
    "<name>",
    ["typical", "tiny", "adversarial"],
    'what kind of publishers they are (default: "typical")',
  ),
  assume: {
    takes: "<KEY=CHOICE>",
    says: "the choice for an assumption; repeatable (see: npx adsim assumptions)",
    must: "must be KEY=CHOICE, such as dedup.repeat=conflict",
    read(given, before) {
      const at = given.indexOf("=");
      return at > 0 ? { ...before, [given.slice(0, at)]: given.slice(at + 1) } : undefined;
    },
  } satisfies Option<Readonly<Record<string, string>>> as Option<Readonly<Record<string, string>>>,
  assumptions: text(
    "<file>",
    "a JSON file with an object of keys and choices; --assume overrides it",
  ),
  json: flag("write machine-readable output to stdout, and text for people to stderr"),
};

export type CommonFlags = FlagsOf<typeof commonOptions>;

/** Those of a command in which time passes by itself. */
export function withClock(usual: ClockMode): typeof commonOptions {
  return {
    ...commonOptions,
    start: text(
      "<instant>",
      `when the world begins, in ISO 8601; made-up history lies before it (default: now with --clock system, else ${DEFAULT_START})`,
    ),
    clock: oneOf("<mode>", clocks, `how time passes (default: "${usual}")`),
  };
}

/** Those of a command that stands still between requests. */
export const stillOptions = {
  ...commonOptions,
  clock: hidden(oneOf<ClockMode>("<mode>", ["frozen"], "how time passes")),
};

export const explain: Option<boolean> = flag(
  "list in the header X-Adsim-Assumptions of every answer which assumptions shaped it",
);

const controlToken = (says: string): Option<string> => ({
  ...secret("<token>", says),
  variable: "ADSIM_CONTROL_TOKEN",
});

/** The token for a `--target`. */
export const targetsToken: Option<string> = controlToken(
  "the token for the control API of an adsim at --target",
);

const logFormats = ["text", "json", "off"] as const;
export type LogFormat = (typeof logFormats)[number];

/** The options of a command that starts one server, beside the common ones. */
export function serverFlags(usual: { readonly port: number; readonly log: string }) {
  return {
    explain,
    port: usually(usual.port, wholeNumber("the port to listen on; 0 picks a free one", 0, 65_535)),
    host: text("<address>", "the address to listen on (default: 127.0.0.1)"),
    controlToken: controlToken("the Bearer token for /_sim; needed unless --host is loopback"),
    cors: list(
      "<origin>",
      'an origin whose web pages may call the API, such as https://app.example; "*" allows all origins, "off" allows none (default: loopback origins)',
    ),
    maxWorlds: wholeNumber(
      "how many worlds (/@NAME) to keep; one more replaces the least recently used one (default: 200)",
    ),
    journalEntries: wholeNumber(
      "how many requests the journal of each world keeps; 0 keeps none (default: 10000)",
    ),
    journalBytes: wholeNumber(
      "how many bytes the journals of all worlds keep together (default: 268435456)",
    ),
    faults: text(
      "<file>",
      "a JSON file with a fault rule, or a list of them, for every world; a reset restores them",
    ),
    load: text(
      "<file>",
      "start the default world from a saved state, with its clock and fault rules. Other options must agree with it, except --clock: it sets how time goes on. If --save-on-exit has the same file, it need not exist yet",
    ),
    scenario: text(
      "<name or file>",
      'first play this scenario to its end in the default world, in virtual time (see: npx adsim scenarios). --seed and the like override its own settings. Afterwards time goes on as --clock says (default: "flowing")',
    ),
    saveOnExit: text("<file>", "save the state of the default world to this file at the end"),
    trace: text(
      "<file>",
      "write what happened in all worlds to this HTML file at the end: the inspector in one file, which anyone can open in a browser",
    ),
    log: {
      ...oneOf(
        "<format>",
        logFormats,
        `log a line for each request to any world, as text to stderr or as json (NDJSON) to stdout (default: ${usual.log})`,
      ),
      mayFollow: logFormats,
    },
    noLog: flag("the same as --log off"),
  };
}

export type ServerFlags = CommonFlags & FlagsOf<ReturnType<typeof serverFlags>>;

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
  const { seed, start, clock = defaultClock, publishers, profile } = flags;
  const { inForce: assumptions } = await readAssumptionFlags(flags);
  return { seed, start, clock, publishers, profile, assumptions };
}

/** @throws InputError or CommandFailure as simulatorOptions does. */
export async function serverOptions(
  flags: ServerFlags,
  defaultClock: ClockMode,
): Promise<ServerOptions> {
  const { explain, port, host, controlToken, maxWorlds, cors, journalEntries, journalBytes } =
    flags;
  return {
    ...(await simulatorOptions(flags, defaultClock)),
    ...{ explain, port, host, controlToken, maxWorlds, cors, journalEntries, journalBytes },
    faults:
      flags.faults === undefined
        ? undefined
        : await (await import("./faults-file.ts")).faultRules(flags.faults),
  };
}
