/** Runs one command line. What a command does is loaded when it is called, so that help and errors come at once. */

import { nearestName } from "../base/did-you-mean.ts";
import { printable } from "../base/text.ts";
import { VERSION } from "../base/version.ts";
import { commands } from "./commands.ts";
import { commandHelp, programHelp } from "./options/help.ts";
import { parse } from "./options/parse.ts";
import { describeFailure, exitCodes, wrongUsage } from "./output/exit.ts";
import { say } from "./output/say.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** @returns the exit code. */
export async function run(args: readonly string[], host: HostProcess): Promise<number> {
  host.stdout.on("error", (error) => exitUnlessClosed(error, host));
  // Where nobody can be told anything, there is nothing to do about it.
  host.stderr.on("error", () => undefined);
  try {
    const done = await runWords(args, host);
    if (typeof done === "string") host.stdout.write(done);
    return typeof done === "number" ? done : exitCodes.fine;
  } catch (error) {
    const failure = describeFailure(error);
    say(`adsim: ${failure.message}\n`, host.stderr);
    return failure.exitCode;
  }
}

/** @returns the exit code of a command, or a text to print. */
async function runWords(args: readonly string[], host: HostProcess): Promise<unknown> {
  const [first = "--help", ...rest] = args[0] === "help" ? [...args.slice(1), "--help"] : args;
  if (first === "--version") return `${VERSION}\n`;
  if (first === "--help") return programHelp(commands);
  const command = commands.find(({ name }) => name === first);
  if (command === undefined) throw unknownCommand(first);
  const call = parse(command, rest, host);
  return call === "help" ? commandHelp(command) : command.run(call);
}

function unknownCommand(name: string): Error {
  const meant = nearestName(name, ["--help", "--version", ...commands.map((one) => one.name)]);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return wrongUsage(`unknown command '${printable(name)}'.${hint} Commands: npx adsim --help`);
}

/** A reader that has seen enough (`adsim serve | head -1`) is no reason to stop; output that is lost is. */
function exitUnlessClosed(error: NodeJS.ErrnoException, host: HostProcess): void {
  if (error.code === "EPIPE") return;
  say(`adsim: can't write to standard output: ${error.message}\n`, host.stderr);
  // The command doesn't know, and would end well.
  host.exit(exitCodes.couldNotRun);
}
