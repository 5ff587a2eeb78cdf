/** `adsim exec -- CMD`: runs a server while CMD runs. CMD finds it through environment variables. */

import type { ChildProcess } from "node:child_process";
import { logFormatOf, logStarter } from "./log/format.ts";
import type { ServerFlags } from "./options/common-options.ts";
import { exitCodes } from "./output/exit.ts";
import { scenarioSuffix } from "./output/ready-message.ts";
import { reportText } from "./output/report-text.ts";
import { say } from "./output/say.ts";
import { childCommand, clientEnvironment, startChild } from "./processes/child.ts";
import { endingSignals, onSignals } from "./processes/signals.ts";
import { saveOnExit, startFrom } from "./start-server.ts";

export interface ExecFlags extends ServerFlags {
  readonly failOnFindings?: boolean;
}

/** @returns CMD's exit code; 128 plus the number of a signal that ended CMD; 1 for findings with --fail-on-findings. */
export async function exec(words: readonly string[], flags: ExecFlags): Promise<number> {
  const command = childCommand(words, "exec");
  const startLog = await logStarter(logFormatOf(flags.log, "off"));
  const server = await startFrom(flags, "flowing");
  const log = startLog?.(server.worlds);
  if (server.scenario !== undefined) {
    say(`adsim: CMD begins${scenarioSuffix(server.scenario)}\n`);
    // The report is only about CMD, so the journal must forget the scenario's requests. Only a reset does that.
    const world = server.worlds.get("default");
    const played = world.snapshot();
    world.reset();
    world.restore(played);
  }
  let ourExitCode: number;
  try {
    const { child, ended } = startChild(command, clientEnvironment(server), { stdio: "inherit" });
    const stopForwarding = forwardSignals(child);
    const { exitCode } = await ended.finally(stopForwarding);
    const report = server.worlds.get("default").report();
    if (flags.json === true) {
      say(`${JSON.stringify({ event: "report", exitCode, ...report })}\n`, process.stdout);
    }
    say(reportText(report));
    const isFailed = flags.failOnFindings === true && report.findings.length > 0;
    ourExitCode = exitCode === exitCodes.fine && isFailed ? exitCodes.checkFailed : exitCode;
  } finally {
    await server.close();
  }
  // The state is saved even if CMD failed.
  await saveOnExit(flags, server);
  await log?.end(ourExitCode);
  return ourExitCode;
}

/** Passes signals on to CMD, which decides what they mean. We wait until it has ended. */
function forwardSignals(child: ChildProcess): () => void {
  return onSignals(endingSignals, (signal) => {
    // A terminal sends Ctrl-C to CMD too.
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    child.kill(signal);
  });
}
