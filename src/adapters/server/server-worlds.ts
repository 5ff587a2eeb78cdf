/** The worlds of a server and the options that they are made from. Knows nothing of sockets. */

import * as v from "valibot";
import { formatInstant, LAST_INSTANT_MS } from "../../base/calendar.ts";
import type { WallClock } from "../../base/clock.ts";
import { inField, parseInput } from "../../base/input.ts";
import { VERSION } from "../../base/version.ts";
import { createControl } from "../../control/control.ts";
import type { ControlLoader } from "../../control/route.ts";
import { type Cors, createCors, parseCorsOption } from "../../exchange/cors.ts";
import { createMeter } from "../../exchange/meter.ts";
import { parseReadings, type SimulatorOptions } from "../../simulator/simulator-options.ts";
import { createWorlds, DEFAULT_WORLD, type Worlds } from "../../simulator/worlds.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { nodeHost } from "../node-host.ts";

/** What a server is made from. Every world gets the same; the clock's default here is `system`. */
export interface ServerOptions extends SimulatorOptions {
  /** 0 picks a free one. @default 4010 */
  readonly port?: number | undefined;
  /** The address or name to bind to. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** Required of every control request, as `Authorization: Bearer TOKEN`. Without it the control API is for loopback only. */
  readonly controlToken?: string | undefined;
  /** How many worlds there can be. @default 1000 */
  readonly maxWorlds?: number | undefined;
  /**
   * How many connections there can be. Beyond, a new one takes the place of the oldest that has brought no request, or is
   * idle.
   *
   * @default 10000
   */
  readonly maxConnections?: number | undefined;
  /**
   * About how many bytes all worlds but `default` may take in memory, journals aside. Beyond that, the server drops
   * worlds: first unused ones, then the least recently used.
   *
   * @default 536870912
   */
  readonly worldBytes?: number | undefined;
  /** How many bytes of requests and responses the journals of all worlds keep together. @default 134217728 */
  readonly journalBytes?: number | undefined;
  /**
   * What the world `default` goes on from. Where it holds fault rules, they are in force instead of `faults`. Other worlds
   * begin from the options, and so does this one after a reset.
   *
   * @default nothing: it begins from the options too
   */
  readonly snapshot?: Snapshot | undefined;
}

/** Those that aren't a world's are checked, and have their defaults. */
type ResolvedServerOptions = ServerOptions & {
  readonly port: number;
  readonly host: string;
  readonly maxConnections: number;
};

const atLeastOne = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
);

const optionsSchema: v.GenericSchema<unknown, ResolvedServerOptions> = v.looseObject({
  port: v.optional(
    v.pipe(
      v.number(),
      v.integer("must be a whole number"),
      v.minValue(0, "must be from 0 to 65535"),
      v.maxValue(65_535, "must be from 0 to 65535"),
    ),
    4010,
  ),
  host: v.optional(v.pipe(v.string(), v.minLength(1, "must not be empty")), "127.0.0.1"),
  controlToken: v.optional(
    v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/, "must be visible ASCII without spaces")),
  ),
  maxWorlds: v.optional(atLeastOne),
  // More than a load generator needs, fewer than would exhaust memory with bodies held at once.
  maxConnections: v.optional(atLeastOne, 10_000),
  worldBytes: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger("must be a whole number"),
      v.minValue(0, "must not be negative"),
    ),
  ),
});

/** Options with their defaults. @throws InputError that names the one at fault. */
export function resolveServerOptions(options: ServerOptions): ResolvedServerOptions {
  return parseInput(optionsSchema, options);
}

/** @throws InputError that names the option at fault. */
export function createServerWorlds(
  { port: _port, host: _host, maxConnections: _most, ...others }: ResolvedServerOptions,
  load: ControlLoader,
): Worlds {
  const { controlToken, maxWorlds, worldBytes, snapshot, ...rest } = others;
  const { clock = "system", wallClock = Date.now } = rest;
  const worlds = createWorlds({
    options: { ...rest, clock, ...timeOf(rest.start, clock, wallClock) },
    host: { ...nodeHost, meter: createMeter(monotonicMs) },
    control: createControl({ version: VERSION, controlToken, load }),
    maxWorlds,
    worldBytes,
  });
  // Finds wrong options now instead of at the first request.
  const first = worlds.get(DEFAULT_WORLD);
  if (snapshot !== undefined) {
    inField("snapshot", () => first.restore(snapshot));
    if (first.faults.list().length === 0)
      for (const rule of rest.faults ?? []) first.faults.add(rule);
  }
  return worlds;
}

/** Which pages may call the API of worlds that are made from these options; undefined where none may. */
export function createServerCors({
  cors = [],
  assumptions,
  explain = false,
}: ServerOptions): Cors | undefined {
  const inForce = resolveAssumptions(parseReadings(assumptions ?? {}));
  return createCors({ origins: parseCorsOption(cors), assumptions: inForce, explain });
}

/** Real time. Not `performance.now()`, whose module would load with the first request and take a millisecond of it. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}

/** One start for all worlds, whenever they are made: a publisher has the same history in each. */
function timeOf(
  start: string | undefined,
  clock: string,
  wallClock: WallClock,
): { readonly start: string | undefined; readonly wallClock: WallClock } {
  const startMs = clock === "system" && start === undefined ? readOnce(wallClock) : undefined;
  if (startMs === undefined) return { start, wallClock };
  // Real time can be set back, and a world can't be made before its start.
  return { start: formatInstant(startMs), wallClock: () => Math.max(startMs, wallClock()) };
}

/** What the wall says, in whole milliseconds; undefined for one that the simulator is going to refuse. */
function readOnce(wallClock: WallClock): number | undefined {
  const wallMs = typeof wallClock === "function" ? Math.floor(wallClock()) : Number.NaN;
  return wallMs >= 0 && wallMs <= LAST_INSTANT_MS ? wallMs : undefined;
}
