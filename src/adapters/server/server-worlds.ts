/** The worlds of a server, and its options. Knows nothing about sockets. */

import * as v from "valibot";
import { formatInstant } from "../../base/calendar.ts";
import type { WallClock } from "../../base/clock.ts";
import { inField } from "../../base/input.ts";
import { createControl } from "../../control/control.ts";
import { type Cors, createCors } from "../../exchange/cors.ts";
import { createMeter } from "../../exchange/meter.ts";
import { readWallClockMs, type SimulatorOptions } from "../../simulator/simulator-options.ts";
import { createWorlds, DEFAULT_WORLD, type Worlds } from "../../simulator/worlds.ts";
import type { Snapshot } from "../../world/accounts/snapshot.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import { controlModules } from "../control-modules.ts";

/** The options of a server. They apply to every world. The default of `clock` is `system` here. */
export interface ServerOptions extends SimulatorOptions {
  /** 0 picks a free port. @default 4010 */
  readonly port?: number | undefined;
  /** The address or name to bind to. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** Control requests must send it as `Authorization: Bearer TOKEN`. Without it, only loopback can use the control API. */
  readonly controlToken?: string | undefined;
  /** Most worlds. Beyond that, the least recently used one but `default` is dropped. @default 200 */
  readonly maxWorlds?: number | undefined;
  /**
   * Most bytes of requests and responses that the journals of all worlds hold together. Beyond that, the largest journal drops
   * its oldest entries.
   *
   * @default 268435456
   */
  readonly journalBytes?: number | undefined;
  /**
   * The state in which the world `default` starts. If it has fault rules, they replace `faults`. Other worlds start from the
   * options, as `default` does after a reset.
   *
   * @default none: `default` starts from the options too
   */
  readonly snapshot?: Snapshot | undefined;
}

const wholeNumber = v.pipe(v.number(), v.integer("must be a whole number"));
const atLeastOne = v.pipe(wholeNumber, v.minValue(1, "must be at least 1"));
const PORTS = "must be from 0 to 65535";

/** The server's own options are checked and have their defaults; those of worlds are as given. */
export const serverOptions: v.GenericSchema<
  unknown,
  ServerOptions & { readonly port: number; readonly host: string }
> = v.looseObject({
  port: v.optional(v.pipe(wholeNumber, v.minValue(0, PORTS), v.maxValue(65_535, PORTS)), 4010),
  host: v.optional(v.pipe(v.string(), v.minLength(1, "must not be empty")), "127.0.0.1"),
  controlToken: v.optional(
    v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/, "must be visible ASCII without spaces")),
  ),
  maxWorlds: v.optional(atLeastOne),
  journalBytes: v.optional(atLeastOne),
});

/** @throws InputError that names the invalid option. */
export function createServerWorlds({
  maxWorlds,
  journalBytes,
  snapshot,
  ...rest
}: Omit<ServerOptions, "port" | "host" | "controlToken">): Worlds {
  const worlds = createWorlds({
    options: { ...rest, ...timeOf(rest) },
    host: { ...fakerHost, meter: createMeter(() => performance.now()) },
    control: createControl(controlModules, `${crypto.randomUUID().slice(0, 8)}-`),
    maxWorlds,
    journalBytes,
  });
  // Finds invalid options now, not at the first request.
  const first = worlds.get(DEFAULT_WORLD);
  if (snapshot !== undefined) {
    inField("snapshot", () => first.restore(snapshot));
    if (first.faults.list().length === 0)
      for (const rule of rest.faults ?? []) first.faults.add(rule);
  }
  return worlds;
}

/** Which pages may call the API of a server's worlds; undefined if none may. */
export function corsOf(worlds: Worlds): Cors | undefined {
  const { origins, explain, settings } = worlds.get(DEFAULT_WORLD).options;
  return createCors({ origins, explain, assumptions: settings.assumptions });
}

/** Gives all worlds the same start, so that a publisher has the same history in each. */
function timeOf({ start, clock = "system", wallClock = Date.now }: SimulatorOptions) {
  if (clock !== "system" || start !== undefined) return { start, clock, wallClock };
  const startMs = readWallClockMs(wallClock);
  // Someone may set real time back, but a world's time can't be before its start.
  const forward: WallClock = () => Math.max(startMs, wallClock());
  return { start: formatInstant(startMs), clock, wallClock: forward };
}
