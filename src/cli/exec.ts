/** `adsim exec -- CMD`: runs a server while CMD runs. CMD finds it through environment variables. */

import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { REACHED } from "../choices/reached.ts";
import { coverageOf, coverageText } from "../play/fixtures/coverage.ts";
import type { Server } from "../server.ts";
import { startLog } from "./log.ts";
import type { execOptions } from "./options/command-options.ts";
import type { FlagsOf } from "./options/option.ts";
import { exitCodes } from "./output/exit.ts";
import { playedText } from "./output/ready-message.ts";
import { reportText } from "./output/report-text.ts";
import { collectReports } from "./output/run-report.ts";
import { say } from "./output/say.ts";
import { adviceOnSilence, clientEnvironment, startChild } from "./processes/child.ts";
import type { HostProcess } from "./processes/host-process.ts";
import { collectReach, type Reach } from "./processes/reach.ts";
import { endingSignals, onSignals } from "./processes/signals.ts";
import { startFrom, writeAtEnd } from "./start-server.ts";

export type ExecFlags = FlagsOf<typeof execOptions>;

/** @returns CMD's exit code; 128 plus the number of a signal that ended CMD; 1 for findings with --fail-on-findings. */
export async function exec(
  words: readonly string[],
  flags: ExecFlags,
  host: HostProcess,
): Promise<number> {
  const server = await startFrom(flags, "flowing", host);
  startLog(flags.noLog ? "off" : (flags.log ?? "off"), server.worlds, host);
  if (server.scenario !== undefined) {
    say(`adsim: ${playedText(server.scenario)} CMD begins.\n`, host.stderr);
    // The report is only about CMD, so the journal must forget the scenario's requests. Only a reset does that.
    const world = server.worlds.get("default");
    const played = world.snapshot();
    world.reset();
    world.restore(played);
  }
  const file = join(tmpdir(), `adsim-reached-${crypto.randomUUID()}`);
  let exitCode: number;
  try {
    exitCode = await runAndReport(words, { flags, host, server, file });
  } finally {
    await server.close();
    await rm(file, { force: true });
  }
  // Both are written even if CMD failed. A trace that can't be written fails nothing.
  await writeAtEnd(flags, server, `adsim exec: ${basename(words[0] ?? "")}`, host);
  return exitCode;
}

interface Run {
  readonly flags: ExecFlags;
  readonly host: HostProcess;
  readonly server: Server;
  /** Where simulators in CMD's own processes write what they reach. */
  readonly file: string;
}

async function runAndReport(words: readonly string[], run: Run): Promise<number> {
  const { flags, host, server, file } = run;
  const reachedBy = collectReach(server, file);
  const reportOn = collectReports(server.worlds);
  const exitCode = await runForwardingSignals(words, run);
  const report = reportOn();
  const reach = await reachedBy();
  if (flags.json === true) {
    say(`${JSON.stringify({ event: "report", exitCode, ...report })}\n`, host.stdout);
  }
  say(reportText(report, reach.inProcess.length > 0, adviceOnSilence(host.env)), host.stderr);
  if (flags.coverage === true) tellCoverage(reach, run);
  const isFailed = flags.failOnFindings === true && report.findings.length > 0;
  return exitCode === exitCodes.fine && isFailed ? exitCodes.checkFailed : exitCode;
}

function tellCoverage({ atServer, inProcess }: Reach, { flags, host }: Run): void {
  const groups = coverageOf([...atServer, ...inProcess]);
  if (flags.json === true) say(`${JSON.stringify({ event: "coverage", groups })}\n`, host.stdout);
  say(`\n${coverageText(groups)}`, host.stderr);
}

/** Passes signals on to CMD, which decides what they mean. We wait until it has ended. */
async function runForwardingSignals(
  words: readonly string[],
  { host, server, file }: Run,
): Promise<number> {
  const env = { ...host.env, ...clientEnvironment(server, host), [REACHED]: file };
  const stdio = ["inherit" as const, host.stdout.fd, host.stderr.fd];
  let child: ChildProcess | undefined;
  // Before CMD starts: it may run, and a signal may come, before `spawn` returns.
  const stop = onSignals(host, endingSignals, (signal) => {
    // A terminal sends Ctrl-C to CMD too.
    if (signal === "SIGINT" && host.stdin.isTTY) return;
    child?.kill(signal);
  });
  try {
    const started = startChild(words, { env, stdio }, host);
    child = started.child;
    return (await started.ended).exitCode;
  } finally {
    stop();
  }
}
