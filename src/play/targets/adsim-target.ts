/**
 * Plays in a world of an adsim over HTTP as if it were in this process: the world's clock is frozen, and the play moves it.
 * What is asked of a copy is asked in this process, where the world's snapshot is restored.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { parseInstant } from "../../base/calendar.ts";
import { timerMs } from "../../base/drip.ts";
import { InputError } from "../../base/input.ts";
import type { InstalledRule } from "../../faults/faults.ts";
import { inconclusive } from "../../invariants/ensure.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import { playClockTraffic } from "./clock-traffic.ts";
import { type ControlApi, createControlApi } from "./control-api.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import type { Control, PlayedWorld, Target, TargetOptions } from "./target.ts";
import { readSpeed, type TargetUrl } from "./target-url.ts";
import type { Turns } from "./turns.ts";
import { memberOf } from "./world-target.ts";

export interface AdsimOptions
  extends Pick<TargetOptions, "controlToken" | "speed" | "onProgress" | "signal"> {
  /** The target's adsim version. */
  readonly version: string;
  /** The scenario's world. */
  readonly snapshot: Snapshot;
  /** The world's name, if the URL has none. */
  readonly worldName: string;
  readonly turns: Turns;
}

/** The audit or snapshot of a large world is long. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** One connection, so that answers arrive in order. */
export function createAdsimClient({ origin }: TargetUrl): Promise<HttpClient> {
  return createHttpClient(origin, { connections: 1, maxBodyBytes: MAX_BODY_BYTES });
}

/**
 * Imports the scenario's world and takes control of it.
 *
 * @throws InputError (as a rejection) for a wrong speed; Error that says what to do if the target refuses.
 */
export async function openAdsimTarget(
  { origin, ...target }: TargetUrl,
  client: HttpClient,
  options: AdsimOptions,
): Promise<Target> {
  const { version, controlToken: token, turns, onProgress } = options;
  const speed = options.speed === undefined ? undefined : readSpeed(options.speed);
  const prefix = target.worldName ? target.prefix : `${target.prefix}/@${options.worldName}`;
  const api = createControlApi({ client, origin, prefix, token, version });
  let nowMs = await importWorld(api, options.snapshot);
  const pace = createPace(speed, options.signal);

  const send: Target["send"] = async (outgoing) => {
    const { operation, request } = outgoing;
    const { why: _asInProcess, ...seen } = await client.send(prefix, outgoing);
    if (seen.outcome === "timed-out") await untilNoticed(api);
    return { operation, atMs: nowMs, request, ...seen };
  };
  async function wait(ms: number): Promise<void> {
    await pace(ms);
    nowMs = instantIn(await api("POST", "clock/advance", { by: ms }));
  }

  return {
    kind: "adsim",
    url: `${origin}${prefix}`,
    time: speed === undefined ? { kind: "virtual" } : { kind: "paced", speed },
    now: () => nowMs,
    async member(ordinal) {
      const path = `publishers?offset=${ordinal}&limit=1`;
      const { publishers } = (await api("GET", path)) as { readonly publishers: Publisher[] };
      const [found] = publishers;
      // Sign-ups follow the population and have ordinals of their own.
      return found?.ordinal === ordinal ? memberOf(found) : undefined;
    },
    send,
    wait,
    traffic: (order) => playClockTraffic(order, { send, wait, turns, onProgress }),
    control: controlOver(api),
    close: () => client.close(),
  };
}

/** Imports the snapshot, empties the journal and freezes the clock. @returns the world's time. */
async function importWorld(api: ControlApi, snapshot: Snapshot): Promise<number> {
  try {
    // The snapshot goes first: if it is rejected, an existing world stays unchanged.
    await api("PUT", "snapshot", snapshot);
    const { total } = (await api("GET", "journal?limit=1")) as { readonly total: number };
    if (total > 0) {
      // Only a reset makes the journal count from 1 again.
      await api("POST", "reset");
      await api("PUT", "snapshot", snapshot);
    }
    return instantIn(await api("PUT", "clock", { mode: "frozen" }));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Not an InputError: no field of the scenario is at fault.
    throw new Error(`The target rejected the scenario's world: ${error.message}`, { cause: error });
  }
}

/** The answers have the same shapes as in process, if the versions are the same. */
function controlOver(api: ControlApi): Control {
  const publisherPath = (id: string): string => `publishers/${encodeURIComponent(id)}`;
  return {
    world: () => readWorld(api),
    async assume(choices) {
      // As in process, assuming nothing changes nothing.
      if (Object.values(choices).some((choice) => choice !== undefined)) {
        await api("PATCH", "assumptions", choices);
      }
    },
    fault: async (rule) => ((await api("POST", "faults", rule)) as { readonly id: string }).id,
    rules: async () =>
      ((await api("GET", "faults")) as { readonly faults: InstalledRule[] }).faults,
    async heal(ids) {
      const paths = ids?.map((id) => `faults/${encodeURIComponent(id)}`) ?? ["faults"];
      for (const path of new Set(paths)) await api("DELETE", path);
    },
    signUp: async (request) => memberOf((await api("POST", "publishers", request)) as Publisher),
    setSurface: (publisher, surface, change) =>
      api("PATCH", `${publisherPath(publisher)}/surfaces/${encodeURIComponent(surface)}`, change),
    rotateKey: async (publisher) =>
      memberOf((await api("POST", `${publisherPath(publisher)}/rotate-key`)) as Publisher),
    async journal(limit) {
      const path = `journal?limit=${limit}`;
      return ((await api("GET", path)) as { readonly entries: JournalEntry[] }).entries;
    },
  };
}

/** Restores the world in this process. @throws Inconclusive if it can't be restored. */
async function readWorld(api: ControlApi): Promise<PlayedWorld> {
  const world = createSimulatorCore({}, fakerHost);
  try {
    world.restore((await api("GET", "snapshot")) as Snapshot);
    return world;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return inconclusive(`the target's world can't be read: ${error.message}`);
  }
}

/** Longest wait for the server to notice that its client has left. */
const MAX_UNNOTICED_MS = 2000;

/**
 * Waits until the server has noticed that its client gave up on the last request. Only then does it record the answer as
 * lost, which happens immediately in process.
 */
async function untilNoticed(api: ControlApi): Promise<void> {
  const untilMs = performance.now() + MAX_UNNOTICED_MS;
  for (let isOver = false; !isOver && performance.now() < untilMs; ) {
    await sleep(10);
    const { entries } = (await api("GET", "journal?limit=2")) as {
      readonly entries: readonly JournalEntry[];
    };
    // Two, because a rule may have applied the request twice.
    isOver = entries.every(({ fault }) => fault === undefined || fault.received === "nothing");
  }
}

/** At most this much of the time that requests took is deducted from later waits, to keep the pace. */
const MAX_CAUGHT_UP_MS = 1000;

function createPace(
  speed: number | undefined,
  signal: AbortSignal | undefined,
): (ms: number) => Promise<void> {
  let dueMs = performance.now();
  return async (ms) => {
    if (speed === undefined) return;
    const realMs = performance.now();
    dueMs = Math.max(dueMs, realMs - MAX_CAUGHT_UP_MS) + ms / speed;
    // Timers have whole milliseconds. A shorter wait is added to the next one.
    if (dueMs - realMs >= 1) await sleep(timerMs(dueMs - realMs), undefined, { signal });
  };
}

/** The instant that a clock shows. @throws Error for anything but an instant. */
function instantIn(clock: unknown): number {
  const ms = parseInstant((clock as { readonly now: string }).now);
  if (ms !== undefined) return ms;
  throw new Error("The target's clock doesn't show a valid instant. Is it an adsim?");
}
