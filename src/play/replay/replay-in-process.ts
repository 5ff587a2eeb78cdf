/** Replays a recording in this process: a world like the recorded one, its time moved to that of each request. */

import { formatInstant, parseInstant } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import { parseCorsOption } from "../../exchange/cors.ts";
import type { RecordedWorld, Recording } from "../../journal/recorded-exchange.ts";
import type { Host } from "../../simulator/running-world.ts";
import { createSimulatorCore, type SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { driveAtOnce, performersOn } from "../player/play-in-process.ts";
import { type Replay, type ReplayedExchange, type ReplayOptions, replay } from "./replay.ts";

export interface ReplayInProcessOptions {
  readonly host: Host;
  /** What is chosen in the place of what the recording says of its world. */
  readonly chosen: Chosen;
  /** The state to go on from, instead of a fresh world. */
  readonly snapshot?: Snapshot | undefined;
  /** Stands in for a key that the recording doesn't tell. */
  readonly apiKey?: string | undefined;
  readonly time: ReplayOptions["time"];
}

/** A world's settings, where they were chosen. */
type Chosen = Pick<SimulatorOptions, "seed" | "start" | "publishers" | "profile"> &
  Pick<RecordedWorld, "assumptions">;

/** A world under way. */
interface ReplayWorld {
  readonly sim: SimulatorCore;
  readonly settings: Chosen;
}

/** @throws InputError for an option or a recorded world that can't be, and for a snapshot of another world. */
export function replayInProcess(recording: Recording, options: ReplayInProcessOptions): Replay {
  const { chosen, snapshot, apiKey, time } = options;
  // A header that stands on every answer of such a world.
  const explain = recording.exchanges.some(({ response }) =>
    Object.hasOwn(response.headers, "x-adsim-assumptions"),
  );
  const cors = corsOf(recording);
  const start = startOf(recording, options);
  const settingsFor = (world: RecordedWorld | undefined): Chosen =>
    settingsOf(options, start, world);
  const fresh = (settings: Chosen): ReplayWorld => ({
    sim: createSimulatorCore({ ...optionsOf(settings), explain, cors }, options.host),
    settings,
  });

  const firstWorld = recording.exchanges.find(({ world }) => world !== undefined)?.world;
  let replayWorld =
    snapshot === undefined
      ? fresh(settingsFor(firstWorld))
      : loaded(snapshot, firstWorld, { ...options, explain, cors });
  let rest = recording.exchanges;
  const replayed: ReplayedExchange[] = [];
  const notes = new Set<string>();
  for (;;) {
    const { settings, sim } = replayWorld;
    const playing = replay(rest, {
      ...{ time, apiKey, readings: settings.assumptions, chosen: chosen.assumptions },
      trials: "scratch",
      isOtherWorld: (world) => nameOf(settingsFor(world)) !== nameOf(settings),
      unknownPublisher: (id) =>
        `publisher ${id} isn't in this world: a sign-up is in no journal. Replay from a snapshot that was taken after it, with --load`,
    });
    const stretch = driveAtOnce(playing, performersOn(sim));
    replayed.push(...stretch.replayed);
    for (const note of stretch.notes) notes.add(note);
    rest = stretch.rest;
    const [next] = rest;
    if (next === undefined) return { replayed, notes: [...notes] };
    notes.add(
      `from ${next.place} on another world answered, which was made anew here: a reset or a snapshot put back is in no journal`,
    );
    replayWorld = fresh(settingsFor(next.world));
  }
}

/** Whose pages could read the answers, as those tell: the option is in no recording. */
function corsOf({ exchanges }: Recording): readonly string[] {
  const allowed = exchanges.flatMap(
    ({ response }) => response.headers["access-control-allow-origin"] ?? [],
  );
  const origins = new Set(allowed.filter(isOrigin));
  return origins.size === 0 ? ["off"] : [...origins];
}

/** Another service may have sent what is none. */
function isOrigin(text: string): boolean {
  try {
    parseCorsOption(text);
    return true;
  } catch {
    return false;
  }
}

/** When the world starts, for a recording that doesn't say: a server's world starts when the server does. */
function startOf(
  { byAdsim, exchanges }: Recording,
  { chosen, time }: ReplayInProcessOptions,
): string | undefined {
  if (chosen.start !== undefined || byAdsim || time === "standing") return chosen.start;
  const [firstMs] = exchanges.flatMap(({ atMs, skip }) =>
    atMs === undefined || skip !== undefined ? [] : atMs,
  );
  return firstMs === undefined ? undefined : formatInstant(firstMs);
}

function settingsOf(
  { chosen, snapshot }: ReplayInProcessOptions,
  start: string | undefined,
  world: RecordedWorld | undefined,
): Chosen {
  const base = snapshot && settingsIn(snapshot);
  const recorded = world ?? base;
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  return {
    ...{ start, ...base, ...world, ...Object.fromEntries(given) },
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

/** What a world is, save for how it reads the spec. */
function nameOf({ seed, start, publishers, profile }: Chosen): string {
  const startMs = start === undefined ? undefined : parseInstant(start);
  return JSON.stringify([seed, startMs, publishers, profile]);
}

/** A saved world. Its time stands still where it was saved, and its fault rules don't act: they did in the recording. */
function loaded(
  snapshot: Snapshot,
  firstWorld: RecordedWorld | undefined,
  options: ReplayInProcessOptions & Pick<SimulatorOptions, "explain" | "cors">,
): ReplayWorld {
  const settings = settingsIn(snapshot);
  if (firstWorld !== undefined && nameOf(settings) !== nameOf({ ...firstWorld })) {
    throw new InputError(
      "load",
      `holds a world of the seed ${JSON.stringify(snapshot.seed)} from ${settings.start} on, and the recording is of one of the seed ${JSON.stringify(firstWorld.seed)} from ${firstWorld.start} on, or of another population. Give a snapshot of the recorded world`,
      "conflict",
    );
  }
  const sim = createSimulatorCore(
    {
      ...optionsOf(settings),
      explain: options.explain,
      cors: options.cors,
      // Whatever its clock was, it goes on from the instant at which it was saved.
      wallClock: () => snapshot.clock.now,
    },
    options.host,
  );
  sim.restore(snapshot);
  sim.clock.set({ mode: "frozen" });
  sim.faults.clear();
  return { sim, settings };
}
