/** `adsim exec -- CMD`: a server for the life of one command, which finds it through its environment. */

import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { startServer } from "../server.ts";
import { clientReport, clientReportText } from "./client-report.ts";
import { CommandFailure, exitCodes } from "./exit.ts";
import { type ServerFlags, serverOptions } from "./options.ts";

/** @returns CMD's exit code; 128 and its number when a signal ended CMD. */
export async function exec(words: readonly string[], flags: ServerFlags): Promise<number> {
  const [command, ...args] = words;
  if (command === undefined) {
    throw new CommandFailure(
      exitCodes.wrongUsage,
      "CMD is missing. Name what to run: adsim exec -- npm test",
    );
  }
  const server = await startServer(await serverOptions(flags, "flowing"));
  try {
    const world = server.worlds.get("default");
    const [publisher] = world.publishers.credentials(1);
    const surface = publisher?.surfaces.find(({ status }) => status === "active");
    const exitCode = await runToEnd(command, args, {
      ADSIM_URL: server.url,
      ADSIM_API_KEY: publisher?.apiKey,
      ADSIM_PUBLISHER_ID: publisher?.id,
      ADSIM_SURFACE_ID: surface?.id,
    });
    const report = clientReport(world.journal);
    if (flags.json === true) {
      process.stdout.write(`${JSON.stringify({ event: "report", exitCode, ...report })}\n`);
    }
    process.stderr.write(clientReportText(report));
    return exitCode;
  } finally {
    await server.close();
  }
}

function runToEnd(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: "inherit",
      env: { ...process.env, ...environment },
    });
    const stopForwarding = forwardSignals(child);
    child.once("error", (error) => {
      stopForwarding();
      reject(
        new CommandFailure(
          exitCodes.couldNotRun,
          `can't start ${command}: ${error.message}. Check its name, or give its path.`,
        ),
      );
    });
    child.once("exit", (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
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
