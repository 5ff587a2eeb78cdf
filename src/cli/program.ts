/** The commands and their help. What a command does is loaded when it is called, so that help and errors come at once. */

import { Command, CommanderError } from "commander";
import { VERSION } from "../base/version.ts";
import type { AssumptionsFlags } from "./assumptions.ts";
import type { ExecFlags } from "./exec.ts";
import type { FixturesFlags } from "./fixtures/fixtures.ts";
import { addMatrixOptions, type MatrixFlags } from "./matrix/matrix-options.ts";
import type { OpenapiFlags } from "./openapi.ts";
import {
  addAnswerOptions,
  addCommonOptions,
  addServerOptions,
  clockOption,
  hiddenClock,
  notEmpty,
  type ServerFlags,
  traceOption,
} from "./options/common-options.ts";
import { describeFailure, exitCodes } from "./output/exit.ts";
import { say } from "./output/say.ts";
import { optionsOf, usageErrors } from "./output/usage-errors.ts";
import type { HostProcess } from "./processes/host-process.ts";
import { addReplayOptions, type ReplayFlags } from "./replay/replay-options.ts";
import {
  addExport,
  addPlay,
  addRecord,
  addScenarios,
  type SetExitCode,
} from "./scenario-commands.ts";

const ENVIRONMENT = `CMD gets the environment variables ADSIM_URL, ADSIM_API_KEY, ADSIM_PUBLISHER_ID, ADSIM_SURFACE_ID and ADSIM_ASSUMPTIONS (the
choices in force, as JSON).`;

/** Runs one command line. @returns the exit code. */
export async function run(args: readonly string[], host: HostProcess): Promise<number> {
  host.stdout.on("error", (error) => exitUnlessClosed(error, host));
  // Where nobody can be told anything, there is nothing to do about it.
  host.stderr.on("error", () => undefined);
  let exitCode: number = exitCodes.fine;
  const words = args[0] === "help" ? helpWords(args[1]) : args;
  const program = createProgram(words[0], host, (code) => {
    exitCode = code;
  });
  if (words.length === 0) {
    program.outputHelp();
    return exitCode;
  }
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.fine : exitCodes.wrongUsage;
    }
    const failure = describeFailure(error);
    say(`adsim: ${failure.message}\n`, host.stderr);
    return failure.exitCode;
  }
}

/** `help NAME` as options. Commander would show the general help for a name that it doesn't know. */
function helpWords(name: string | undefined): readonly string[] {
  if (name === undefined) return ["--help"];
  return Object.hasOwn(commands, name) ? [name, "--help"] : [name];
}

/** How each command is added to the program, in the order of the help. */
const commands: Readonly<
  Record<string, (program: Command, host: HostProcess, ends: SetExitCode) => void>
> = {
  serve: addServe,
  exec: addExec,
  matrix: addMatrix,
  replay: addReplay,
  record: addRecord,
  play: addPlay,
  scenarios: addScenarios,
  export: addExport,
  fixtures: addFixtures,
  assumptions: addAssumptions,
  openapi: addOpenapi,
};

/** `named`: the first word. Where it is a command's name, the others aren't made: they are half of the time to parse. */
function createProgram(named: string | undefined, host: HostProcess, ends: SetExitCode): Command {
  const program = new Command("adsim")
    .description("A deterministic in-memory simulator of a Publisher Advertising API.")
    .version(VERSION, "--version", "show the version")
    .helpOption("--help", "show help")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    })
    .showSuggestionAfterError(false)
    .configureHelp({ subcommandTerm: termOf })
    .addHelpText(
      "after",
      "\nStart with: npx adsim serve\nOptions of a command: npx adsim COMMAND --help\nExit codes: 0 fine, 1 a check failed, 2 wrong usage, 3 could not run.",
    );

  const isNamed = named !== undefined && Object.hasOwn(commands, named);
  for (const [name, add] of Object.entries(commands)) {
    if (name === named || !isNamed) add(program, host, ends);
  }
  for (const command of program.commands) {
    command
      .helpOption("--help", "show help")
      .configureOutput({ outputError: usageErrors(command, optionsOf(command)) })
      .showHelpAfterError(`Options: npx adsim ${command.name()} --help`);
  }
  const names = [...Object.keys(commands), ...optionsOf(program)];
  return program
    .configureOutput({ outputError: usageErrors(program, names) })
    .showHelpAfterError("Commands: npx adsim --help");
}

/** As the list of commands shows it: with what the command needs, but without its options. */
function termOf(command: Command): string {
  const needs = command.usage().replace(/ ?\[options\] ?/, " ");
  return `${command.name()} ${needs.trim()}`.trim();
}

interface ServeFlags extends ServerFlags {
  readonly traceOnExit?: string;
}

function addServe(program: Command, host: HostProcess, ends: SetExitCode): void {
  const serve = program.command("serve").description("run the server until it is interrupted");
  addServerOptions(addCommonOptions(serve, clockOption("system")), host, {
    defaultPort: 4010,
    defaultLog: "text on a terminal",
  })
    .addOption(traceOption("--trace-on-exit"))
    .action(async ({ traceOnExit: trace, ...flags }: ServeFlags) => {
      const command = await import("./serve.ts");
      ends(await command.serve(trace === undefined ? flags : { ...flags, trace }, host));
    });
}

function addExec(program: Command, host: HostProcess, ends: SetExitCode): void {
  const exec = program
    .command("exec")
    .description("start a server, run a command against it, and stop the server")
    .usage("[options] -- CMD [arguments...]")
    .argument("[CMD...]", "what to run; adsim exits with its exit code")
    .option(
      "--fail-on-findings",
      "exit with 1 if CMD exits with 0 and the client report has findings",
    )
    .option(
      "--coverage",
      "show at the end which parts of the API CMD has reached, and which requests would reach more",
    )
    .passThroughOptions()
    .addHelpText(
      "after",
      `
After CMD, adsim prints the client report: how often CMD sent each request, and what it did wrong (the findings).
${ENVIRONMENT}`,
    );
  addServerOptions(addCommonOptions(exec, clockOption("flowing")), host, {
    defaultPort: 0,
    defaultLog: "off",
  })
    .addOption(traceOption("--trace"))
    .action(async (words: string[], flags: ExecFlags) => {
      const command = await import("./exec.ts");
      ends(await command.exec(words, flags, host));
    });
}

function addMatrix(program: Command, host: HostProcess, ends: SetExitCode): void {
  const matrix = program
    .command("matrix")
    .description(
      "find out which behaviour a client relies on that the API's specification leaves open",
    )
    .usage("[options] -- CMD [arguments...]")
    .argument("[CMD...]", "a test of the client; it passes with exit code 0")
    .passThroughOptions()
    .addHelpText(
      "after",
      `
CMD runs twice with the defaults, then once for each row of a covering array over the assumptions, each time against a new
server. adsim then finds the smallest sets of choices that make CMD fail. Keys given with --assume or --assumptions keep
their choice in all runs. Several CMDs run at the same time unless --jobs is 1.
${ENVIRONMENT}`,
    );
  addMatrixOptions(addAnswerOptions(addCommonOptions(matrix, clockOption("flowing")))).action(
    async (words: string[], flags: MatrixFlags) => {
      const command = await import("./matrix/matrix.ts");
      ends(await command.matrix(words, flags, host));
    },
  );
}

function addReplay(program: Command, host: HostProcess, ends: SetExitCode): void {
  const replay = program
    .command("replay")
    .description("play a recording again, and show the answers that differ from the recorded ones")
    .argument("<FILE>", "a HAR file of any tool, a journal as NDJSON, or a trace in CSV")
    .addHelpText(
      "after",
      `
adsim makes a scenario of FILE, as adsim record does, that expects the recorded answers: status, Content-Type, and the body
without the ids that a service invents. Time follows the recording; with --clock frozen it stands still.
Without --target it plays in a world in this process with the recorded settings. Options override them. Publishers that this
world doesn't have sign up. With --load, the options must agree with the snapshot.
If --target is an adsim, it plays in a new world, /@NAME, or in the world that the URL names, whose state is lost.
With --api-key and --publisher, --target can be any service. Requests follow each other at once, unless you give --wait. The
first publisher given is the first one of the recording.
Exit codes: 0 all answers are the same, 1 some differ or can't be compared, 2 wrong usage, 3 FILE can't be read, there is
nothing to compare, or the target can't be reached.`,
    );
  addReplayOptions(addCommonOptions(replay, hiddenClock()), host).action(
    async (file: string, flags: ReplayFlags) => {
      const command = await import("./replay/replay.ts");
      ends(await command.replay(file, flags, host));
    },
  );
}

function addFixtures(program: Command, host: HostProcess): void {
  const making = program
    .command("fixtures")
    .description(
      "write requests and their expected answers as JSON files, for tests in any language",
    )
    .usage("--out <folder> [options]")
    .requiredOption(
      "--out <folder>",
      "the folder to write to: a new or empty one, or one with earlier fixtures, which are replaced",
      notEmpty,
    )
    .addHelpText(
      "after",
      `
Each file is one case: a request, what must happen before it, and the answer. index.json lists the files. The same options
give the same bytes. The requests have API keys, which are made up from the seed.
Exit codes: 0 fine, 2 wrong usage or a folder with other files, 3 the files can't be written.`,
    );
  addCommonOptions(making, hiddenClock(["frozen"])).action(async (flags: FixturesFlags) => {
    const command = await import("./fixtures/fixtures.ts");
    await command.fixtures(flags, host);
  });
}

function addAssumptions(program: Command, host: HostProcess): void {
  const assumptions = program
    .command("assumptions")
    .description("list the questions that the API's specification leaves open, with their choices")
    .argument("[KEY]", "show only this one")
    .option("--markdown", "print the whole catalogue as a page in Markdown");
  addCommonOptions(assumptions, hiddenClock(), "unused").action(
    async (key: string | undefined, flags: AssumptionsFlags) => {
      const command = await import("./assumptions.ts");
      await command.assumptions(key, flags, host);
    },
  );
}

function addOpenapi(program: Command, host: HostProcess): void {
  const openapi = program
    .command("openapi")
    .description("print the API as OpenAPI 3.1, in JSON")
    .option("--successes", "leave out HEAD and all errors, for tools that expect each answer once");
  addCommonOptions(openapi, hiddenClock()).action(async (flags: OpenapiFlags) => {
    const command = await import("./openapi.ts");
    await command.openapi(flags, host);
  });
}

/** A reader that has seen enough (`adsim serve | head -1`) is no reason to stop; output that is lost is. */
function exitUnlessClosed(error: NodeJS.ErrnoException, host: HostProcess): void {
  if (error.code === "EPIPE") return;
  say(`adsim: can't write to standard output: ${error.message}\n`, host.stderr);
  // The command doesn't know, and would end well.
  host.exit(exitCodes.couldNotRun);
}
