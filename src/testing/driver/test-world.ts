/** The world of a client under test: a simulated service, the transport to it, and the time of both. */

import * as v from "valibot";
import { createSimulator, type Simulator, withFetch } from "../../adapters/create-simulator.ts";
import { createFetch } from "../../adapters/fetch.ts";
import { formatInstant } from "../../base/calendar.ts";
import { InputError, parseInput } from "../../base/input.ts";
import { deriveKey, drawsFrom } from "../../base/random.ts";
import { wholeBetween } from "../../base/schemas.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import { checkNames } from "../options.ts";
import { createRealTime, type Time } from "../time/time.ts";
import { createVirtualTime } from "../time/virtual-time.ts";
import type { DriverContext } from "./driver.ts";
import { replaceGlobals } from "./globals.ts";

export interface TestWorldOptions
  extends Pick<SimulatorOptions, "seed" | "start" | "publishers" | "profile" | "assumptions"> {
  /**
   * How requests reach the service: through the context's `fetch` in virtual time, or over a socket in real time for a
   * client that doesn't use fetch.
   *
   * @default "fetch"
   */
  readonly transport?: "fetch" | "http" | undefined;
  /**
   * `replaced`: the world's fetch, clock, timers and randomness replace the global ones, for a client that can't be
   * given its own. Only one such world at a time can be open in a process.
   *
   * @default "kept"
   */
  readonly globals?: "kept" | "replaced" | undefined;
  /**
   * With `globals: "replaced"`: the machine's time zone, such as "Asia/Kolkata", where the variable TZ has an effect.
   *
   * @default the machine's; the client contract tries several
   */
  readonly timeZone?: string | undefined;
  /**
   * Real milliseconds that a silent client gets before the world's time moves on. A client that hashes, compresses or
   * reads files before it sends needs some: otherwise its timers fire too early. They are spent each time the client
   * waits, so a few are plenty. A client that only ticks gets them at most fifty times in a row.
   *
   * @default 0
   */
  readonly patienceMs?: number | undefined;
}

/** What a timer's callback threw, and when on the world's clock. */
export interface TimerError {
  readonly error: unknown;
  readonly atMs: number;
}

export interface TestWorld {
  readonly sim: Simulator;
  /** The client's publisher. */
  readonly publisher: Publisher;
  /** Its active surfaces. */
  readonly surfaces: readonly Surface[];
  readonly time: Time;
  readonly context: DriverContext;
  /** Allows this many more requests. In virtual time later ones get no answer. @returns a function that tells if there were more. */
  grant(requests: number): () => boolean;
  /** The first error that the callback of a client's timer threw. In real time always undefined. */
  readonly threw: TimerError | undefined;
  close(): Promise<void>;
}

/**
 * @param draws The client's random numbers are drawn from this and the seed.
 * @throws InputError for an invalid option.
 */
export async function openTestWorld(
  options: TestWorldOptions = {},
  draws = "",
): Promise<TestWorld> {
  checkNames(options, worldOptionNames);
  checkConnection(options);
  return options.transport === "http" ? await overHttp(options, draws) : inProcess(options, draws);
}

const connection = v.object({
  transport: v.optional(v.picklist(["fetch", "http"])),
  globals: v.optional(v.picklist(["kept", "replaced"])),
  timeZone: v.optional(v.string()),
  patienceMs: v.optional(wholeBetween(0, 10_000)),
});

export const worldOptionNames: readonly string[] = [
  ...["seed", "start", "publishers", "profile", "assumptions"],
  ...Object.keys(connection.entries),
];

/** How the client is connected. @throws InputError */
export function checkConnection(options: TestWorldOptions): void {
  const { transport, globals, timeZone } = parseInput(connection, options);
  if (globals === "replaced" && transport === "http")
    throw new InputError("globals", 'can\'t be replaced with transport "http": there time is real');
  if (timeZone !== undefined && globals !== "replaced")
    throw new InputError("timeZone", 'can be set only with globals: "replaced"');
}

/** The journal has to hold every request of a session. */
function simulatorOptions(options: TestWorldOptions): SimulatorOptions {
  const { seed, start, publishers, profile, assumptions } = options;
  return { seed, start, publishers, profile, assumptions, journalEntries: 100_000 };
}

/** The base URL with the transport fetch. The top-level domain can't exist (RFC 6761). */
const BASE_URL = "http://ads.test";

function inProcess(options: TestWorldOptions, draws: string): TestWorld {
  const { globals, timeZone, patienceMs } = options;
  const sim = createSimulator({ ...simulatorOptions(options), clock: "frozen" });
  let threw: TimerError | undefined;
  const onThrow = (error: unknown): void => {
    threw ??= { error, atMs: sim.clock.now() };
  };
  const time = createVirtualTime({ clock: sim.clock, patienceMs, onThrow });
  const { timers, noteActivity } = time;
  const send = createFetch(sim.handle, {
    ...timers,
    // The service's own timers aren't the client's: they don't keep its process alive.
    setTimeout: (run, ms) => timers.setTimeout(run, ms).unref(),
  });
  let left = Number.POSITIVE_INFINITY;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    noteActivity();
    left -= 1;
    if (left < 0) return await new Promise<never>(() => {});
    const response = await send(input, init);
    noteActivity();
    return response;
  };
  const world = worldOf(sim, time, draws, { baseUrl: BASE_URL, fetch });
  const restore =
    globals === "replaced"
      ? replaceGlobals(timers, fetch, { seed: sim.seed + draws, timeZone })
      : () => {};
  return {
    ...world,
    grant(requests) {
      left = requests;
      return () => left < 0;
    },
    get threw() {
      return threw;
    },
    close: async () => restore(),
  };
}

async function overHttp(options: TestWorldOptions, draws: string): Promise<TestWorld> {
  // Imported on demand: browsers have no servers.
  const { startServer } = await import("../../adapters/server/server.ts");
  const server = await startServer({
    ...simulatorOptions(options),
    // The client's dates are the machine's.
    start: options.start ?? formatInstant(Date.now()),
    clock: "flowing",
    port: 0,
  });
  const sim = withFetch(server.worlds.get("default"));
  let isFlooded = (): boolean => false;
  const { patienceMs } = options;
  const time = createRealTime({ clock: sim.clock, isEnough: () => isFlooded(), patienceMs });
  return {
    ...worldOf(sim, time, draws, { baseUrl: server.url, fetch: globalThis.fetch }),
    grant(requests) {
      const before = sim.journal.total;
      isFlooded = () => sim.journal.total - before > requests;
      return isFlooded;
    },
    threw: undefined,
    close: () => server.close(),
  };
}

/** The surfaces of the publisher that signs up if no other has an active one. */
export const SIGNED_UP: readonly string[] = ["Sidebar", "Footer"];

/** The client is the first publisher with an active surface. */
function worldOf(
  sim: Simulator,
  time: Time,
  draws: string,
  connection: Pick<DriverContext, "baseUrl" | "fetch">,
): Omit<TestWorld, "grant" | "threw" | "close"> {
  const activeOf = (one: Publisher) => one.surfaces.filter(({ status }) => status === "active");
  const { publishers } = sim;
  const { total } = publishers;
  let ordinal = 0;
  while (ordinal < total && activeOf(publishers.at(ordinal)).length === 0) ordinal += 1;
  const publisher =
    ordinal < total ? publishers.at(ordinal) : publishers.signUp({ surfaces: SIGNED_UP });
  const surfaces = activeOf(publisher);
  const draw = drawsFrom(deriveKey(sim.seed + draws, "client"));
  const context: DriverContext = {
    ...connection,
    apiKey: publisher.apiKey,
    publisherId: publisher.id,
    surfaces: surfaces.map(({ id, name }) => ({ id, name })),
    timers: time.timers,
    random: () => draw(0x8000_0000) / 0x8000_0000,
  };
  return { sim, publisher, surfaces, time, context };
}
