/** `adsim exec -- CMD`: a server for the life of one command, which finds it through its environment. */

import type { ChildProcess } from "node:child_process";
import { childCommand, clientEnvironment, startChild } from "./child.ts";
import { clientReport, clientReportText } from "./client-report.ts";
import type { ServerFlags } from "./options.ts";
import { saveOnExit, startFrom } from "./start-server.ts";

/** @returns CMD's exit code; 128 and its number when a signal ended CMD. */
export async function exec(words: readonly string[], flags: ServerFlags): Promise<number> {
  const command = childCommand(words, "exec");
  const server = await startFrom(flags, "flowing");
  let childExitCode: number;
  try {
    const { child, ended } = startChild(command, clientEnvironment(server), { stdio: "inherit" });
    const stopForwarding = forwardSignals(child);
    const { exitCode } = await ended.finally(stopForwarding);
    const report = clientReport(server.worlds.get("default").journal);
    if (flags.json === true) {
      process.stdout.write(`${JSON.stringify({ event: "report", exitCode, ...report })}\n`);
    }
    process.stderr.write(clientReportText(report));
    childExitCode = exitCode;
  } finally {
    await server.close();
  }
  // Whatever CMD made of it, the state is worth keeping.
  await saveOnExit(flags, server);
  return childExitCode;
}

/** CMD decides what a signal means; we stay until it has ended. */
function forwardSignals(child: ChildProcess): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to CMD itself.
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
