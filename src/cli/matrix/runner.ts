/** Runs CMD under many sets of overrides, several at a time, and remembers the results. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import pLimit from "p-limit";
import { digestOf } from "../../base/digest.ts";
import { isControlTarget } from "../../base/world-path.ts";
import { type ChoiceOverrides, nameOf } from "../../choices/choice-overrides.ts";
import type { MatrixPlan } from "../../choices/matrix-plan.ts";
import { REACHED, type Reached } from "../../choices/reached.ts";
import type { ServerOptions } from "../../server.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import type { ChildCommand } from "../processes/child.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { collectReach } from "../processes/reach.ts";
import type { KeptOutput, OutputFolder } from "./output-folder.ts";
import { type Run, runOnce, type Stop, type StopRegistry } from "./run-once.ts";
import type { Trials } from "./shrink.ts";

export interface FinishedRun extends Run {
  /** Requests to the server. */
  readonly requests: number;
  /** Whether simulators in CMD's own processes answered requests. */
  readonly inProcess: boolean;
  /** The output of a failed run, if it was kept. */
  readonly output?: KeptOutput;
}

/** Thrown by runs that were waiting or running when the runner was stopped. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** `confirm` keeps the output of a set that fails. */
export interface Runner extends Trials {
  /** Runs CMD even if a result is remembered. If it fails, its output is kept under `keepAs`. */
  run(overrides: ChoiceOverrides, keepAs: string): Promise<FinishedRun>;
  /** The last run that `confirm` made with these overrides. */
  confirmed(overrides: ChoiceOverrides): FinishedRun | undefined;
  /** How many runs have ended. */
  readonly runs: number;
  /** Ends the current runs and starts no others. Resolves once all have ended. */
  stop(): Promise<void>;
  /** Kills the current runs at once, when the process exits. */
  kill(): void;
}

export interface RunnerOptions {
  readonly command: ChildCommand;
  readonly server: ServerOptions;
  readonly plan: Pick<MatrixPlan, "assumptionsWith">;
  readonly output: OutputFolder;
  readonly timeLimitMs: number;
  readonly jobs: number;
  readonly host: HostProcess;
  /** Called after each run, with what its requests reached. */
  readonly onRun: (reached: readonly Reached[], passed: boolean) => void;
}

export function createRunner(options: RunnerOptions): Runner {
  const { plan, output, jobs, onRun } = options;
  const requests = countRequests();
  const verdicts = new Map<string, Promise<boolean>>();
  const confirmed = new Map<string, FinishedRun>();
  const stops = new Set<Stop>();
  const underWay = new Set<Promise<unknown>>();
  const limit = pLimit(jobs);
  let runs = 0;
  let isStopped = false;

  const running: StopRegistry = {
    add(stop) {
      stops.add(stop);
      // The runner was stopped while this run's server was starting.
      if (isStopped) stop("soon");
    },
    delete: (stop) => stops.delete(stop),
  };
  function runLimited(assumptions: Assumptions, keepAs: string | undefined): Promise<FinishedRun> {
    return limit(async () => {
      if (isStopped) throw new Interrupted();
      const finished = finish(assumptions, keepAs);
      underWay.add(finished);
      return await finished.finally(() => underWay.delete(finished));
    });
  }
  async function finish(
    assumptions: Assumptions,
    keepAs: string | undefined,
  ): Promise<FinishedRun> {
    const spool = await output.spool();
    try {
      let count = 0;
      let reach: ReturnType<typeof collectReach> | undefined;
      const run = await runOnce({
        command: options.command,
        server: { ...options.server, assumptions },
        output: spool.handle,
        timeLimitMs: options.timeLimitMs,
        running,
        host: options.host,
        env: { [REACHED]: spool.secondFile },
        onStart(server) {
          reach = collectReach(server, spool.secondFile);
        },
        onEnd({ url }) {
          count = requests.take(url);
        },
      });
      const { atServer = [], inProcess = [] } = (await reach?.()) ?? {};
      if (isStopped) throw new Interrupted();
      runs += 1;
      onRun([...atServer, ...inProcess], run.passed);
      const { durationMs, ...how } = run;
      const isUsed = inProcess.length > 0;
      const finished = { ...how, requests: count, inProcess: isUsed, durationMs };
      if (run.passed || keepAs === undefined) return finished;
      return { ...finished, output: await spool.keep(keepAs) };
    } finally {
      await spool.discard();
    }
  }
  async function runWith(
    overrides: ChoiceOverrides,
    keepAs: string | undefined,
  ): Promise<FinishedRun> {
    const run = await runLimited(plan.assumptionsWith(overrides), keepAs);
    verdicts.set(nameOf(overrides), Promise.resolve(!run.passed));
    return run;
  }

  return {
    get runs(): number {
      return runs;
    },
    run: runWith,
    fails(overrides) {
      const known = verdicts.get(nameOf(overrides));
      if (known !== undefined) return known;
      const asked = runWith(overrides, undefined).then((run) => !run.passed);
      verdicts.set(nameOf(overrides), asked);
      return asked;
    },
    failsAgain: async (overrides) => !(await runWith(overrides, undefined)).passed,
    async confirm(overrides) {
      const run = await runWith(overrides, fileNameOf(overrides));
      confirmed.set(nameOf(overrides), run);
      return !run.passed;
    },
    confirmed: (overrides) => confirmed.get(nameOf(overrides)),
    async stop() {
      isStopped = true;
      for (const stop of stops) stop("soon");
      await Promise.allSettled(underWay);
      requests.close();
    },
    kill() {
      for (const stop of stops) stop("now");
    },
  };
}

/** Short enough for file systems, whose names may have about 255 bytes. */
function fileNameOf(overrides: ChoiceOverrides): string {
  const name = nameOf(overrides);
  return name.length > 120 ? `set-${digestOf([name])}` : name;
}

interface RequestCounts {
  /**
   * The number of requests to the server at this base URL since the last call, without those to the control API. Call
   * it before the server closes: the next server may get the same port.
   */
  take(url: string): number;
  close(): void;
}

/** Node's HTTP servers publish each request on this diagnostics channel. */
const CHANNEL = "http.server.request.start";

/**
 * Counts the requests to the API of each server in this process. The journal can't be used for that: its numbering
 * starts again if the client resets the world, as test suites do after each test.
 */
function countRequests(): RequestCounts {
  const counts = new Map<string, number>();
  const onRequest = (message: unknown): void => {
    const { request } = message as RequestStartMessage;
    if (isControlTarget(request.url)) return;
    const port = String(request.socket.localPort);
    counts.set(port, (counts.get(port) ?? 0) + 1);
  };
  subscribe(CHANNEL, onRequest);
  return {
    take(url) {
      const { port } = new URL(url);
      const count = counts.get(port) ?? 0;
      counts.delete(port);
      return count;
    },
    close: () => {
      unsubscribe(CHANNEL, onRequest);
    },
  };
}

/** The channel's messages, as documented by Node. */
interface RequestStartMessage {
  readonly request: { readonly url: string; readonly socket: { readonly localPort: number } };
}
