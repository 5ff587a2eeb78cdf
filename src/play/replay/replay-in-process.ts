/** Replays a recording in this process, in a world like the recorded one, at the recorded times. */

import { formatInstant, parseInstant } from "../../base/calendar.ts";
import { given } from "../../base/given.ts";
import { InputError } from "../../base/input.ts";
import { parseCorsOption } from "../../exchange/cors.ts";
import type { RecordedEntry, RecordedWorld, Recording } from "../../journal/recorded-entry.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import type { Host } from "../../simulator/running-world.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { operations } from "../../spec/operations.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { driveAtOnce, performersOn } from "../old/player/play-in-process.ts";
import { type Replay, type ReplayedEntry, type ReplayOptions, replay } from "./replay.ts";

export interface ReplayInProcessOptions {
  readonly host: Host;
  /** Settings that override the recorded world's. */
  readonly chosen: Chosen;
  /** The state to start from, instead of a fresh world. */
  readonly snapshot?: Snapshot | undefined;
  /** Sent in place of a key that the recording doesn't show. */
  readonly apiKey?: string | undefined;
  readonly time: ReplayOptions["time"];
}

/** Settings of a world; undefined means not chosen. */
type Chosen = Pick<SimulatorOptions, "seed" | "start" | "publishers" | "profile"> &
  Pick<RecordedWorld, "assumptions">;

/** A world and its settings. */
interface ReplayWorld {
  readonly sim: SimulatorCore;
  readonly settings: Chosen;
}

/** @throws InputError for an invalid option or recorded world, and for a snapshot of another world. */
export function replayInProcess(recording: Recording, options: ReplayInProcessOptions): Replay {
  const { chosen, snapshot, apiKey, time } = options;
  const cors = corsOf(recording);
  const start = startOf(recording, options);
  const settingsFor = (world: RecordedWorld | undefined): Chosen =>
    settingsOf(options, start, world);
  const fresh = (settings: Chosen): ReplayWorld => ({
    sim: createSimulatorCore({ ...optionsOf(settings), cors }, options.host),
    settings,
  });

  const firstWorld = recording.entries.find(({ world }) => world !== undefined)?.world;
  let replayWorld =
    snapshot === undefined
      ? fresh(settingsFor(firstWorld))
      : loaded(snapshot, firstWorld, { ...options, cors });
  let rest: readonly RecordedEntry[] = recording.entries.map(withoutSlash);
  const replayed: ReplayedEntry[] = [];
  const notes = new Set<string>();
  for (;;) {
    const { settings, sim } = replayWorld;
    const playing = replay(rest, {
      ...{ time, apiKey, choices: settings.assumptions, chosen: chosen.assumptions },
      isOtherWorld: (world) => nameOf(settingsFor(world)) !== nameOf(settings),
      unknownPublisher: (id) =>
        `publisher ${id} isn't in this world: a journal doesn't record sign-ups. Replay from a snapshot that was taken after it, with --load`,
    });
    const stretch = driveAtOnce(playing, performersOn(sim));
    for (const one of stretch.replayed) replayed.push(one);
    for (const note of stretch.notes) notes.add(note);
    rest = stretch.rest;
    const [next] = rest;
    if (next === undefined) return { replayed, notes: [...notes] };
    notes.add(
      `from ${next.place} on another world answered, so a new one was made here: a journal doesn't record a reset or a restored snapshot`,
    );
    replayWorld = fresh(settingsFor(next.world));
  }
}

/** Another service may have accepted a slash at the end of a path. adsim doesn't. */
function withoutSlash(entry: RecordedEntry): RecordedEntry {
  const { operation, request } = entry;
  const path = operation === undefined ? request.path : operations[operation].path;
  return { ...entry, request: { ...request, path } };
}

/** The CORS origins, taken from the answers' headers because recordings don't contain the option. */
function corsOf({ entries }: Recording): readonly string[] {
  const allowed = entries.flatMap(
    ({ response }) => response.headers["access-control-allow-origin"] ?? [],
  );
  const origins = new Set(allowed.filter(isOrigin));
  return origins.size === 0 ? ["off"] : [...origins];
}

/** Checked because another service may have sent anything. */
function isOrigin(text: string): boolean {
  try {
    parseCorsOption(text);
    return true;
  } catch {
    return false;
  }
}

/** The world's start. For another tool's recording it is the first request's time, as if the server started then. */
function startOf(
  { byAdsim, entries }: Recording,
  { chosen, time }: ReplayInProcessOptions,
): string | undefined {
  if (chosen.start !== undefined || byAdsim || time === "standing") return chosen.start;
  return entries.find(({ at, leftOut }) => at !== undefined && leftOut === undefined)?.at;
}

function settingsOf(
  { chosen, snapshot }: ReplayInProcessOptions,
  start: string | undefined,
  world: RecordedWorld | undefined,
): Chosen {
  const base = snapshot && settingsIn(snapshot);
  const recorded = world ?? base;
  return {
    ...{ start, ...base, ...world, ...given(chosen) },
    assumptions: { ...recorded?.assumptions, ...chosen.assumptions },
  };
}

function settingsIn({ seed, start, publishers, profile, assumptions }: Snapshot): Chosen {
  return { seed, start: formatInstant(start), publishers, profile, assumptions };
}

function optionsOf({ assumptions, ...others }: Chosen): SimulatorOptions {
  return {
    ...others,
    assumptions: resolveAssumptions(assumptions),
    clock: "frozen",
    journalEntries: 0,
  };
}

/** Identifies a world by its settings, without assumptions. */
function nameOf({ seed, start, publishers, profile }: Chosen): string {
  const startMs = start === undefined ? undefined : parseInstant(start);
  return JSON.stringify([seed, startMs, publishers, profile]);
}

/** Restores a saved world, with its clock frozen and without fault rules, whose effects are already in the recording. */
function loaded(
  snapshot: Snapshot,
  firstWorld: RecordedWorld | undefined,
  options: ReplayInProcessOptions & Pick<SimulatorOptions, "cors">,
): ReplayWorld {
  const settings = settingsIn(snapshot);
  if (firstWorld !== undefined && nameOf(settings) !== nameOf({ ...firstWorld })) {
    throw new InputError(
      "load",
      `has a world with seed ${JSON.stringify(snapshot.seed)} that starts at ${settings.start}, but the recorded world has seed ${JSON.stringify(firstWorld.seed)}, starts at ${firstWorld.start}, or has another population. Give a snapshot of the recorded world`,
      "conflict",
    );
  }
  const sim = createSimulatorCore(
    {
      ...optionsOf(settings),
      cors: options.cors,
      // The clock continues from the instant of the snapshot, in any mode.
      wallClock: () => snapshot.clock.now,
    },
    options.host,
  );
  sim.restore(snapshot);
  sim.clock.set({ mode: "frozen" });
  sim.faults.clear();
  return { sim, settings };
}
