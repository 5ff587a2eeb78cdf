/** Replays a recording in this process: a world like the recorded one, its time moved to that of each request. */

import { formatInstant, parseInstant } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import { readCors } from "../../exchange/cors.ts";
import type { Surroundings } from "../../simulator/running-world.ts";
import { createSimulatorCore, type SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import type { Profile } from "../../world/publishers/profiles.ts";
import { type Answered, differenceOf } from "./compare.ts";
import type { Outcome, Replay } from "./outcome.ts";
import type { RecordedExchange, RecordedWorld, Recording } from "./recording.ts";
import { type Keys, type Sendable, sendablesOf } from "./resend.ts";

export interface InProcessOptions {
  readonly surroundings: Surroundings;
  /** What is chosen in the place of what the recording says of its world. */
  readonly chosen: Chosen;
  /** The state to go on from, instead of a fresh world. */
  readonly snapshot?: Snapshot | undefined;
  /** Stands in for a key that the recording doesn't tell. */
  readonly apiKey?: string | undefined;
  /** Whether time stands still, or goes on as it did in the recording. */
  readonly time: "recorded" | "standing";
}

/** A world's settings, where they were chosen. */
export interface Chosen {
  readonly seed?: string | undefined;
  readonly start?: string | undefined;
  readonly publishers?: number | undefined;
  readonly profile?: Profile | undefined;
  readonly assumptions: Readonly<Record<string, string>>;
}

type Settings = Omit<Chosen, "start"> & { readonly start: string | undefined };

/** A world under way. */
interface Stage {
  readonly sim: SimulatorCore;
  readonly settings: Settings;
}

/** @throws InputError for an option or a recorded world that can't be, and for a snapshot of another world. */
export function replayInProcess(recording: Recording, options: InProcessOptions): Replay {
  const notes = new Set<string>();
  let early: string | undefined;
  // A header that stands on every answer of such a world.
  const explain = recording.exchanges.some(({ response }) =>
    Object.hasOwn(response.headers, "x-adsim-assumptions"),
  );
  const cors = corsOf(recording);
  const start = startOf(recording, options);
  const settingsFor = (world: RecordedWorld | undefined): Settings =>
    settingsOf(options, start, world);
  const fresh = (settings: Settings): Stage => ({
    sim: createSimulatorCore({ ...optionsOf(settings), explain, cors }, options.surroundings),
    settings,
  });

  const firstWorld = recording.exchanges.find(({ world }) => world !== undefined)?.world;
  let stage =
    options.snapshot === undefined
      ? fresh(settingsFor(firstWorld))
      : loaded(options.snapshot, firstWorld, { ...options, explain, cors });

  function enter({ world, place }: RecordedExchange): void {
    if (world === undefined) return;
    const settings = settingsFor(world);
    const isOther = nameOf(settings) !== nameOf(stage.settings);
    try {
      if (!isOther && !isReadAnew(stage, settings)) return;
      if (!isOther) {
        stage.sim.assume(resolveAssumptions(settings.assumptions));
        stage = { sim: stage.sim, settings };
        return;
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
    notes.add(
      `from ${place} on another world answered, which was made anew here: a reset or a snapshot put back is in no journal`,
    );
    stage = fresh(settings);
  }

  return {
    replayed: recording.exchanges.map((exchange) => {
      enter(exchange);
      if (options.time === "recorded" && !movedTime(stage.sim, exchange)) {
        early ??= `${exchange.place} was recorded before the time that the world has here, ${formatInstant(stage.sim.clock.now())}, which doesn't go back. Begin with an earlier --start, or with a snapshot from before`;
      }
      return { exchange, outcome: outcomeOf(stage.sim, exchange, options.apiKey, notes) };
    }),
    get notes(): readonly string[] {
      return early === undefined ? [...notes] : [early, ...notes];
    },
  };
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
    readCors(text);
    return true;
  } catch {
    return false;
  }
}

/** When the world starts, for a recording that doesn't say: a server's world starts when the server does. */
function startOf(
  { byAdsim, exchanges }: Recording,
  { chosen, time }: InProcessOptions,
): string | undefined {
  if (chosen.start !== undefined || byAdsim || time === "standing") return chosen.start;
  const [firstMs] = exchanges.flatMap(({ atMs, skip }) =>
    atMs === undefined || skip !== undefined ? [] : atMs,
  );
  return firstMs === undefined ? undefined : formatInstant(firstMs);
}

function settingsOf(
  { chosen, snapshot }: InProcessOptions,
  start: string | undefined,
  world: RecordedWorld | undefined,
): Settings {
  const base = snapshot === undefined ? undefined : settingsIn(snapshot);
  return {
    seed: chosen.seed ?? world?.seed ?? base?.seed,
    start: chosen.start ?? world?.start ?? base?.start ?? start,
    publishers: chosen.publishers ?? world?.publishers ?? base?.publishers,
    profile: chosen.profile ?? world?.profile ?? base?.profile,
    assumptions: { ...(world?.assumptions ?? base?.assumptions), ...chosen.assumptions },
  };
}

function settingsIn({ seed, start, publishers, profile, assumptions }: Snapshot): Settings {
  return { seed, start: formatInstant(start), publishers, profile, assumptions };
}

function optionsOf({ assumptions, ...others }: Settings): SimulatorOptions {
  return {
    ...others,
    assumptions: resolveAssumptions(assumptions),
    clock: "frozen",
    journalEntries: 0,
  };
}

/** What a world is, save for how it reads the spec. */
function nameOf({ seed, start, publishers, profile }: Settings): string {
  const startMs = start === undefined ? undefined : parseInstant(start);
  return JSON.stringify([seed, startMs, publishers, profile]);
}

/** Whether the spec is read in another way from now on. */
function isReadAnew({ settings }: Stage, next: Settings): boolean {
  if (settings.assumptions === next.assumptions) return false;
  const [before, after] = [settings, next].map(({ assumptions }) =>
    JSON.stringify(resolveAssumptions(assumptions)),
  );
  return before !== after;
}

/** A saved world. Its time stands still where it was saved, and its fault rules don't act: they did in the recording. */
function loaded(
  snapshot: Snapshot,
  firstWorld: RecordedWorld | undefined,
  options: InProcessOptions & Pick<SimulatorOptions, "explain" | "cors">,
): Stage {
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
    options.surroundings,
  );
  sim.restore(snapshot);
  sim.clock.set({ mode: "frozen" });
  sim.faults.clear();
  return { sim, settings };
}

/** Moves time to that of the recorded request. @returns false where the world's is past it already. */
function movedTime(sim: SimulatorCore, { atMs }: RecordedExchange): boolean {
  const nowMs = sim.clock.now();
  if (atMs === undefined || atMs === nowMs) return true;
  if (atMs < nowMs) return false;
  sim.clock.set({ nowMs: atMs });
  return true;
}

function outcomeOf(
  sim: SimulatorCore,
  exchange: RecordedExchange,
  apiKey: string | undefined,
  notes: Set<string>,
): Outcome {
  if (exchange.skip !== undefined) return { kind: "skipped", why: exchange.skip };
  const keys: Keys = {
    given: apiKey,
    of(publisher) {
      try {
        return sim.publishers.get(publisher).apiKey;
      } catch {
        notes.add(
          `publisher ${publisher} isn't in this world: a sign-up is in no journal. Replay from a snapshot that was taken after it, with --load`,
        );
        return undefined;
      }
    },
  };
  const { choices, areHarmless } = sendablesOf(exchange, keys);
  const differs = (answer: Answered): ReturnType<typeof differenceOf> =>
    differenceOf(exchange.response, answer);
  // One that has an effect is tried on a world that is thrown away.
  const fits = (request: Sendable): boolean =>
    differs((areHarmless ? sim : sim.fork()).handle(request)) === undefined;
  const [first, ...others] = choices;
  const chosen = others.length === 0 ? first : (choices.find(fits) ?? first);
  const difference = differs(sim.handle(chosen));
  return difference === undefined ? { kind: "same" } : { kind: "different", difference };
}
