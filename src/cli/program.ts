/** The commands and their help. What a command does is loaded when it is called, so that help and errors come at once. */

import { Command, CommanderError } from "commander";
import { nearestName } from "../base/did-you-mean.ts";
import { printable } from "../base/text.ts";
import { VERSION } from "../base/version.ts";
import type { AssumptionsFlags } from "./assumptions.ts";
import type { ExecFlags } from "./exec.ts";
import type { FixturesFlags } from "./fixtures/fixtures.ts";
import { addMatrixOptions, type MatrixFlags } from "./matrix/matrix-options.ts";
import {
  addAnswerOptions,
  addCommonOptions,
  addServerOptions,
  type CommonFlags,
  notEmpty,
  type ServerFlags,
} from "./options/common-options.ts";
import { describeFailure, exitCodes } from "./output/exit.ts";
import { say } from "./output/say.ts";
import type { HostProcess } from "./processes/host-process.ts";
import { addReplayOptions, type ReplayFlags } from "./replay/replay-options.ts";
import { addExport, addPlay, addScenarios, type SetExitCode } from "./scenario-commands.ts";

const ENVIRONMENT = `CMD gets the environment variables ADSIM_URL, ADSIM_API_KEY, ADSIM_PUBLISHER_ID, ADSIM_SURFACE_ID and ADSIM_ASSUMPTIONS (the
choices in force, as JSON).`;

/** Runs one command line. @returns the exit code. */
export async function run(args: readonly string[], host: HostProcess): Promise<number> {
  host.stdout.on("error", (error) => exitUnlessClosed(error, host));
  // Where nobody can be told anything, there is nothing to do about it.
  host.stderr.on("error", () => undefined);
  let exitCode: number = exitCodes.fine;
  const program = createProgram(args[0], host, (code) => {
    exitCode = code;
  });
  if (args.length === 0) {
    program.outputHelp();
    return exitCode;
  }
  try {
    await program.parseAsync(args, { from: "user" });
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

/** How each command is added to the program, in the order of the help. */
const commands: Readonly<
  Record<string, (program: Command, host: HostProcess, ends: SetExitCode) => void>
> = {
  serve: addServe,
  exec: addExec,
  matrix: addMatrix,
  replay: addReplay,
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
    .addHelpText(
      "after",
      "\nExit codes: 0 fine, 1 a check failed, 2 wrong usage, 3 could not run.",
    );

  const isNamed = named !== undefined && Object.hasOwn(commands, named);
  for (const [name, add] of Object.entries(commands)) {
    if (name === named || !isNamed) add(program, host, ends);
  }
  for (const command of program.commands) {
    command
      .helpOption("--help", "show help")
      .configureOutput({ outputError: withHint(optionsOf(command)) })
      .showHelpAfterError(`Options: npx adsim ${command.name()} --help`);
  }
  const names = [...Object.keys(commands), ...optionsOf(program)];
  return program
    .configureOutput({ outputError: withHint(names) })
    .showHelpAfterError("Commands: npx adsim --help");
}

function optionsOf(command: Command): readonly string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), "--help"];
}

/** Commander's own suggestions are too bold: it takes `merge` for `serve`, and `--cors` for `--port`. */
function withHint(names: readonly string[]) {
  return (text: string, write: (text: string) => void): void => {
    const [, dashes = "", sent = ""] =
      /unknown (?:command|option) '(-*)([^='\n]+)/.exec(text) ?? [];
    const known = names.filter((name) => name.startsWith("-") === (dashes !== ""));
    const bare = known.map((name) => name.replace(/^-*/, ""));
    const meant = nearestName(sent, bare);
    const hint = meant === undefined ? "" : `. Did you mean ${dashes === "" ? "" : "--"}${meant}?`;
    const said = printable(text.replace(/^error: /, "adsim: ").trimEnd());
    write(`${said}${hint}\n`);
  };
}

function addServe(program: Command, host: HostProcess, ends: SetExitCode): void {
  const serve = program.command("serve").description("run the server until it is interrupted");
  addServerOptions(addCommonOptions(serve, "system"), host, {
    defaultPort: 4010,
    defaultLog: "text on a terminal",
  }).action(async (flags: ServerFlags) => {
    const command = await import("./serve.ts");
    ends(await command.serve(flags, host));
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
    .passThroughOptions()
    .addHelpText("after", `\n${ENVIRONMENT}`);
  addServerOptions(addCommonOptions(exec, "flowing"), host, {
    defaultPort: 0,
    defaultLog: "off",
  }).action(async (words: string[], flags: ExecFlags) => {
    const command = await import("./exec.ts");
    ends(await command.exec(words, flags, host));
  });
}

function addMatrix(program: Command, host: HostProcess, ends: SetExitCode): void {
  const matrix = program
    .command("matrix")
    .description("find out what a client relies on that the spec leaves open")
    .usage("[options] -- CMD [arguments...]")
    .argument("[CMD...]", "a test of the client; it passes with exit code 0")
    .passThroughOptions()
    .addHelpText(
      "after",
      `
CMD runs with the defaults first, then once for each row of a covering array over the assumptions, each time against a new
server. adsim then finds the smallest sets of choices that make CMD fail. Keys given with --assume or --assumptions keep
their choice in all runs. Several CMDs run at the same time unless --jobs is 1.
${ENVIRONMENT}`,
    );
  addMatrixOptions(addAnswerOptions(addCommonOptions(matrix, "flowing"))).action(
    async (words: string[], flags: MatrixFlags) => {
      const command = await import("./matrix/matrix.ts");
      ends(await command.matrix(words, flags, host));
    },
  );
}

function addReplay(program: Command, host: HostProcess, ends: SetExitCode): void {
  const replay = program
    .command("replay")
    .description("send recorded requests again and compare the answers byte for byte")
    .argument("<FILE>", "a journal as NDJSON, or a HAR file of any tool; adsim finds out which")
    .addHelpText(
      "after",
      `
Without --target, adsim makes a world with the settings in the recording. Options override them. Time follows the recording,
or stands still with --clock frozen. With --load, the options must agree with the snapshot.
With --target, adsim sends one request after another. If the target is an adsim, its clock follows the recording, unless you
give --keep-clock.
adsim compares status, headers and body, but no headers of the connection, such as Date and Server.
Exit codes: 0 all answers are the same, 1 some differ, 2 wrong usage, 3 FILE can't be read, there is nothing to compare, or
the target can't be reached.`,
    );
  addReplayOptions(addCommonOptions(replay, "frozen"), host).action(
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
  addCommonOptions(making, "frozen", ["frozen"]).action(async (flags: FixturesFlags) => {
    const command = await import("./fixtures/fixtures.ts");
    await command.fixtures(flags, host);
  });
}

function addAssumptions(program: Command, host: HostProcess): void {
  const assumptions = program
    .command("assumptions")
    .description("list what the spec leaves open, and the choices for it")
    .argument("[KEY]", "show only this one")
    .option("--markdown", "print the whole catalogue as a page in Markdown");
  addCommonOptions(assumptions, "frozen").action(
    async (key: string | undefined, flags: AssumptionsFlags) => {
      const command = await import("./assumptions.ts");
      await command.assumptions(key, flags, host);
    },
  );
}

function addOpenapi(program: Command, host: HostProcess): void {
  const openapi = program.command("openapi").description("print the API as OpenAPI 3.1, in JSON");
  addCommonOptions(openapi, "frozen").action(async (flags: CommonFlags) => {
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
