/** `adsim exec -- CMD`: runs a server while CMD runs. CMD finds it through environment variables. */

import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { REACHED } from "../choices/reached.ts";
import { coverageOf, coverageText } from "../play/fixtures/coverage.ts";
import { startLog } from "./log.ts";
import type { execOptions } from "./options/command-options.ts";
import type { Call, FlagsOf } from "./options/option.ts";
import { exitCodes } from "./output/exit.ts";
import { collectReports, reportText } from "./output/run-report.ts";
import { say } from "./output/say.ts";
import { adviceOnSilence, clientEnvironment, collectReach, startChild } from "./processes/child.ts";
import { type HostProcess, onEndingSignals } from "./processes/host-process.ts";
import { startFrom, writeAtEnd } from "./start-server.ts";

type ExecCall = Call<FlagsOf<typeof execOptions>>;

/** @returns CMD's exit code; 128 plus the number of a signal that ended CMD; 1 for findings with --fail-on-findings. */
export async function exec({ words, flags, host }: ExecCall): Promise<number> {
  const { stdout, stderr } = host;
  const server = await startFrom(flags, "flowing", host);
  startLog(flags.noLog ? "off" : (flags.log ?? "off"), server.worlds, host);
  if (flags.scenario !== undefined) {
    // The report is only about CMD, so the journal must forget the scenario's requests. Only a reset does that.
    const world = server.worlds.get("default");
    const played = world.snapshot();
    world.reset();
    world.restore(played);
  }
  // Simulators in CMD's own processes write there what they reach.
  const file = join(tmpdir(), `adsim-reached-${crypto.randomUUID()}`);
  const reachedBy = collectReach(server, file);
  const reportOn = collectReports(server.worlds);
  let exitCode: number;
  try {
    exitCode = await run(words, { ...clientEnvironment(server, host), [REACHED]: file }, host);
  } finally {
    await server.close();
  }
  const report = reportOn();
  const { atServer, inProcess } = await reachedBy();
  await rm(file, { force: true });
  if (flags.json === true) {
    say(`${JSON.stringify({ event: "report", exitCode, ...report })}\n`, stdout);
  }
  say(reportText(report, inProcess.length > 0, adviceOnSilence(host.env)), stderr);
  if (flags.coverage === true) {
    const groups = coverageOf([...atServer, ...inProcess]);
    if (flags.json === true) say(`${JSON.stringify({ event: "coverage", groups })}\n`, stdout);
    say(`\n${coverageText(groups)}`, stderr);
  }
  await writeAtEnd(flags, server, `adsim exec: ${basename(words[0] ?? "")}`, host);
  const isFailed = flags.failOnFindings === true && report.findings.length > 0;
  return exitCode === exitCodes.fine && isFailed ? exitCodes.checkFailed : exitCode;
}

/** Runs CMD, and passes signals on to it: it decides what they mean. @returns its exit code. */
async function run(
  words: readonly string[],
  variables: NodeJS.ProcessEnv,
  host: HostProcess,
): Promise<number> {
  const env = { ...host.env, ...variables };
  const stdio = ["inherit" as const, host.stdout.fd, host.stderr.fd];
  let child: ChildProcess | undefined;
  // Before CMD starts: it may run, and a signal may come, before `spawn` returns.
  const stop = onEndingSignals(host, (signal) => {
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
