/** `adsim exec -- CMD`: runs a server while CMD runs. CMD finds it through environment variables. */

import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { REACHED } from "../choices/reached.ts";
import type { Coverage } from "../play/fixtures/coverage.ts";
import type { Server } from "../server.ts";
import { logFormatOf, logStarter } from "./log/format.ts";
import { type ServerFlags, simulatorOptions } from "./options/common-options.ts";
import { exitCodes } from "./output/exit.ts";
import { playedText } from "./output/ready-message.ts";
import { reportText } from "./output/report-text.ts";
import { say } from "./output/say.ts";
import {
  type ChildEnd,
  childCommand,
  clientEnvironment,
  type StartedChild,
  startChild,
} from "./processes/child.ts";
import type { HostProcess } from "./processes/host-process.ts";
import { collectReach, type Reach } from "./processes/reach.ts";
import { endingSignals, onSignals } from "./processes/signals.ts";
import { saveOnExit, startFrom, traceOnExit } from "./start-server.ts";

export interface ExecFlags extends ServerFlags {
  readonly failOnFindings?: boolean;
  readonly coverage?: boolean;
}

/** @returns CMD's exit code; 128 plus the number of a signal that ended CMD; 1 for findings with --fail-on-findings. */
export async function exec(
  words: readonly string[],
  flags: ExecFlags,
  host: HostProcess,
): Promise<number> {
  const { stdout, stderr } = host;
  const command = childCommand(words, "exec");
  const startLog = await logStarter(logFormatOf(flags.log, "off"), host);
  const server = await startFrom(flags, "flowing", host);
  startLog?.(server.worlds);
  if (server.scenario !== undefined) {
    say(`adsim: ${playedText(server.scenario)} CMD begins.\n`, stderr);
    // The report is only about CMD, so the journal must forget the scenario's requests. Only a reset does that.
    const world = server.worlds.get("default");
    const played = world.snapshot();
    world.reset();
    world.restore(played);
  }
  const folder = await mkdtemp(join(tmpdir(), "adsim-reached-"));
  const file = join(folder, "reached");
  const reachedBy = collectReach(server, file);
  let ourExitCode: number;
  try {
    const env = { ...host.env, ...clientEnvironment(server), [REACHED]: file };
    const stdio = ["inherit" as const, stdout.fd, stderr.fd];
    const { exitCode } = await runForwardingSignals(host, () =>
      startChild(command, { env, stdio }, host),
    );
    const report = server.worlds.get("default").report();
    if (flags.json === true) {
      say(`${JSON.stringify({ event: "report", exitCode, ...report })}\n`, stdout);
    }
    const reach = await reachedBy();
    say(reportText(report, reach.inProcess.length > 0), stderr);
    if (flags.coverage === true) {
      const { coverage, text } = await coverageIn(reach, flags, server);
      if (flags.json === true)
        say(`${JSON.stringify({ event: "coverage", ...coverage })}\n`, stdout);
      say(`\n${text}`, stderr);
    }
    const isFailed = flags.failOnFindings === true && report.findings.length > 0;
    ourExitCode = exitCode === exitCodes.fine && isFailed ? exitCodes.checkFailed : exitCode;
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  // Both are written even if CMD failed. A trace that can't be written fails nothing.
  await traceOnExit(flags, server, `adsim exec: ${basename(words[0] ?? "")}`, host);
  await saveOnExit(flags, server, host);
  return ourExitCode;
}

/** Loads its modules on demand: most runs don't need them. */
async function coverageIn(
  { atServer, inProcess }: Reach,
  flags: ExecFlags,
  server: Server,
): Promise<{ readonly coverage: Coverage; readonly text: string }> {
  const [{ coverageOf }, { coverageText }, { makeFixtures }] = await Promise.all([
    import("../play/fixtures/coverage.ts"),
    import("../play/fixtures/coverage-text.ts"),
    import("../play/fixtures/make-fixtures.ts"),
  ]);
  const { seed, assumptions, publishers } = server.worlds.get("default");
  const options = await simulatorOptions(flags, "frozen");
  const fixtures = makeFixtures({ ...options, seed, assumptions });
  const coverage = coverageOf([...atServer, ...inProcess], fixtures);
  const apiKey = publishers.credentials(1)[0]?.apiKey ?? "";
  return { coverage, text: coverageText(coverage, apiKey) };
}

/** Passes signals on to CMD, which decides what they mean. We wait until it has ended. */
async function runForwardingSignals(
  host: HostProcess,
  start: () => StartedChild,
): Promise<ChildEnd> {
  let child: ChildProcess | undefined;
  // Before CMD starts: it may run, and a signal may come, before `spawn` returns.
  const stop = onSignals(host, endingSignals, (signal) => {
    // A terminal sends Ctrl-C to CMD too.
    if (signal === "SIGINT" && host.stdin.isTTY) return;
    child?.kill(signal);
  });
  try {
    const started = start();
    child = started.child;
    return await started.ended;
  } finally {
    stop();
  }
}
