/**
 * Plays scenarios in real time: at a service that isn't adsim, or a worker's share anywhere. Judges what came out without
 * taking adsim's readings for the truth.
 */

import { connect } from "node:net";
import { MINUTE_MS } from "../../base/duration.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { encodingOf } from "../../spec/build-request.ts";
import type { Scenario } from "../language/scenario.ts";
import { readableDuration } from "../measure/quantities.ts";
import type { ShareToSend } from "../player/outgoing-of.ts";
import { type PlayOptions, play } from "../player/play.ts";
import { worldOf } from "../player/play-in-process.ts";
import type { PlayResult } from "../player/result.ts";
import { excuseReadings } from "../rehearsal/excuse-readings.ts";
import type { Share } from "../traffic/order.ts";
import { drive, performWith, unlessAborted } from "./drive.ts";
import { planAtService, type ServicePlan } from "./service-plan.ts";
import { openServiceTarget } from "./service-target.ts";
import type { ServiceOptions } from "./target.ts";
import { readTargetUrl, type TargetUrl } from "./target-url.ts";

export interface PlayAtServiceOptions extends Omit<ServiceOptions, "plan"> {
  readonly target: string | URL;
  /** As in `playScenario`. */
  readonly runId?: string | undefined;
  readonly share?: Share | undefined;
  readonly wait?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: PlayOptions["onStep"];
  /** The `reproduce` line of each result. */
  readonly reproduce: readonly string[];
  /** Called with each result as it comes. */
  readonly onResult?: ((result: PlayResult) => void) | undefined;
}

/**
 * Plays parsed scenarios one after the other, in real time.
 *
 * @throws InputError (as a rejection) for wrong options; Error that says what to do if the service can't be reached.
 */
export async function playAtService(
  scenarios: readonly Scenario[],
  options: PlayAtServiceOptions,
): Promise<readonly PlayResult[]> {
  const { credentials, speed, knownChoices = {}, signal, onStep, share } = options;
  // Workers can't agree on a random one.
  const runId = options.runId ?? (share === undefined ? randomRunId() : undefined);
  const assumptions = resolveAssumptions(knownChoices);
  const scalesWaits = share !== undefined;
  const plans = scenarios.map((one) => planAtService(one, { speed, knownChoices, scalesWaits }));
  refuseLongWait(plans, options);
  if (runId !== undefined) checkRunId(runId);
  const url = readTargetUrl(options.target);
  // A worker plays to its end, whatever it is answered.
  if (share !== undefined) await unlessAborted(signal, checkListens(url));
  const asking = plans.filter(({ asksSurfaces }) => asksSurfaces);
  const opening = openServiceTarget(url, {
    ...options,
    plan: {
      asksSurfaces: asking.length > 0,
      reads: asking.reduce((sum, { reads }) => sum + reads, 0),
    },
  });
  const target = await unlessAborted(signal, opening, (late) => late.close());
  const { description, performers } = target;
  const capabilities = { ...target.capabilities, scalesWaits };
  const results: PlayResult[] = [];
  try {
    for (const ordinal of Array(Math.max(0, ...plans.map((plan) => plan.publishers))).keys())
      await unlessAborted(signal, performWith(performers, { kind: "member", ordinal }));
    for (const [index, scenario] of scenarios.entries()) {
      // Scenarios use the same session ids.
      const ownId = scenarios.length === 1 ? runId : `${runId}-${index + 1}`;
      const sending = {
        runId: ownId,
        encoding: encodingOf(assumptions),
        share: share && (await shareToSend(share, scenario)),
      };
      const reproduce = options.reproduce[index] ?? "";
      const playing = play(scenario, {
        capabilities,
        sending,
        target: description,
        reproduce,
        // A worker of several doesn't see what the others send to the same publishers.
        laws: (share?.of ?? 1) > 1 ? [] : undefined,
        onStep,
      });
      const played = await unlessAborted(signal, drive(playing, performers));
      const publishers = credentials.length;
      const result = excuseReadings(played, { scenario, capabilities, sending, publishers });
      results.push(result);
      options.onResult?.(result);
    }
    return results;
  } finally {
    await target.close();
  }
}

/** @throws Error if nothing listens there. */
function checkListens({ url, origin }: TargetUrl): Promise<void> {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const usual = protocol === "https:" ? 443 : 80;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: port === "" ? usual : Number(port) });
    socket.setTimeout(LISTENS_MS, () => socket.destroy(new Error("it doesn't answer")));
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", (error) =>
      reject(
        new Error(
          `The target ${url} can't be reached: ${describeError(error)}. Start the service, or check the address.`,
        ),
      ),
    );
  });
}

const LISTENS_MS = 10_000;

async function shareToSend(share: Share, scenario: Scenario): Promise<ShareToSend> {
  // Loaded on demand: only workers write histograms.
  const { encodeLatencies } = await import("../measure/latency-encoding.ts");
  const { startMs } = resolveOptions(worldOf(scenario)).settings;
  return { ...share, startMs, encode: encodeLatencies };
}

/** Eight characters are enough: run ids only have to differ from those of earlier runs at the same service. */
function randomRunId(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** @throws InputError unless every service can take it as a part of a session id. */
function checkRunId(runId: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(runId)) return;
  throw new InputError("runId", "must be 1 to 64 letters, digits, hyphens and underscores");
}

function refuseLongWait(
  plans: readonly ServicePlan[],
  { wait }: { readonly wait?: boolean | undefined },
): void {
  const totalMs = plans.reduce((sum, plan) => sum + plan.totalMs, 0);
  if (totalMs <= MINUTE_MS || wait === true) return;
  throw new InputError(
    "wait",
    `must be given: this takes ${readableDuration(totalMs)}, since time is real for workers and at a service other than adsim`,
  );
}
