/** The options that a simulator is made from, and what they mean: resolved once, at the edge. */

import * as v from "valibot";
import { formatInstant, LAST_INSTANT_MS, parseInstant } from "../base/calendar.ts";
import { type ClockMode, clockModes, type WallClock, wallClockMs } from "../base/clock.ts";
import { InputError, inField, isPlainObject, parseInput } from "../base/input.ts";
import type { Schema } from "../base/schema-builders.ts";
import { seedText } from "../base/schemas.ts";
import { type AllowedOrigins, type CorsOption, parseCorsOption } from "../exchange/cors.ts";
import { type FaultFunction, type FaultRule, MAX_RULES, parseRule } from "../faults/rule.ts";
import type { AssumptionKey, Choice } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { MAX_POPULATION } from "../world/publishers/population.ts";
import { type Profile, profileNames } from "../world/publishers/profiles.ts";
import type { WorldSettings } from "../world/publishers/world-settings.ts";

/** A choice for some of the spec's open points. */
export type Readings = { readonly [Key in AssumptionKey]?: Choice<Key> | undefined };

/** What a simulator is made from. Same options, same requests, same bytes. */
export interface SimulatorOptions {
  /** @default "adsim" */
  readonly seed?: string | undefined;
  /** The first instant, in ISO 8601. History lies before it. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** How many seeded publishers there are, 1 to 1,000,000. @default 25 */
  readonly publishers?: number | undefined;
  /** @default "typical" */
  readonly profile?: Profile | undefined;
  /** Readings of the spec's open points. @default the catalogue's default of each */
  readonly assumptions?: Readings | undefined;
  /** @default "frozen" */
  readonly clock?: ClockMode | undefined;
  /** Where a clock that isn't frozen reads real time, in milliseconds since 1970: `Date.now`. */
  readonly wallClock?: WallClock | undefined;
  /** Whether every response says in `X-Adsim-Assumptions` which open points shaped it. @default false */
  readonly explain?: boolean | undefined;
  /**
   * Origins such as `"https://app.example"` whose pages may call the API, beside those of loopback such as
   * `"http://localhost:5173"`. `"*"`: pages of every origin may; `"off"`: none may.
   *
   * @default []
   */
  readonly cors?: CorsOption | undefined;
  /** Fault rules that are in force from the start, and again after a reset; at most 1,000. @default none */
  readonly faults?: readonly (FaultRule | FaultFunction)[] | undefined;
  /** How many requests the journal keeps; 0 keeps none. @default 10000 */
  readonly journalEntries?: number | undefined;
  /** How many bytes of requests and responses the journal keeps, the latest one in any case; 0 keeps none. @default 33554432 */
  readonly journalBytes?: number | undefined;
}

/** Options as a simulator goes by them. */
export interface ResolvedOptions {
  /** What was given, defaults filled in: a copy, for the original may be changed. */
  readonly options: SimulatorOptions;
  readonly settings: WorldSettings;
  readonly clock: ClockMode;
  readonly wallClock: WallClock | undefined;
  readonly explain: boolean;
  readonly origins: AllowedOrigins;
  readonly faults: readonly (FaultRule | FaultFunction)[];
  readonly journalEntries: number;
  readonly journalBytes: number;
}

const DEFAULT_START = "2026-01-15T00:00:00Z";

// Not a record of valibot's, which passes over names such as "constructor".
const assumptionsSchema = v.custom<Readonly<Record<string, unknown>>>(
  isPlainObject,
  'must be an object of choices by key, such as { "dedup.repeat": "conflict" }',
);

export const publisherCount: Schema<number> = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
  v.maxValue(MAX_POPULATION, `must be at most ${MAX_POPULATION}`),
);

const optionsSchema = v.strictObject({
  seed: v.optional(seedText, "adsim"),
  start: v.optional(v.string()),
  publishers: v.optional(publisherCount, 25),
  profile: v.optional(v.picklist(profileNames), "typical"),
  assumptions: v.optional(assumptionsSchema, {}),
  clock: v.optional(v.picklist(clockModes), "frozen"),
  wallClock: v.optional(
    v.custom<WallClock>(
      (value) => typeof value === "function",
      "must be a function that gives milliseconds since 1970, such as Date.now",
    ),
  ),
  explain: v.optional(v.boolean(), false),
  // Read by its own words.
  cors: v.optional(
    v.custom<CorsOption>(() => true),
    [],
  ),
  // The simulator looks at each of them.
  faults: v.optional(
    v.pipe(
      v.custom<readonly (FaultRule | FaultFunction)[]>(Array.isArray, "must be a list of rules"),
      v.check((rules) => rules.length <= MAX_RULES, `must be at most ${MAX_RULES} rules`),
    ),
    [],
  ),
  journalEntries: v.optional(
    v.pipe(
      v.number(),
      v.integer("must be a whole number"),
      v.minValue(0, "must not be negative"),
      v.maxValue(10_000_000, "must be at most 10,000,000"),
    ),
    10_000,
  ),
  journalBytes: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger("must be a whole number"),
      v.minValue(0, "must not be negative"),
    ),
    32 * 1024 * 1024,
  ),
});

/** @throws InputError that names the option at fault. */
export function resolveOptions(options: SimulatorOptions): ResolvedOptions {
  const given = parseInput(optionsSchema, options, "options");
  const assumptions = resolveAssumptions(given.assumptions);
  const { seed, start, publishers, profile, clock, wallClock } = given;
  const startMs = startMsOf(start, clock, wallClock);
  const faults = given.faults.map(copyOfRule);
  return {
    options: { ...given, assumptions, faults },
    settings: { seed, startMs, publishers, profile, assumptions },
    clock,
    wallClock,
    explain: given.explain,
    origins: parseCorsOption(given.cors),
    faults,
    journalEntries: given.journalEntries,
    journalBytes: given.journalBytes,
  };
}

function copyOfRule(rule: FaultRule | FaultFunction, index: number): FaultRule | FaultFunction {
  return typeof rule === "function" ? rule : inField(`faults.${index}`, () => parseRule(rule, ""));
}

/**
 * Readings by key, those with undefined left out. What is a key and a choice the catalogue decides.
 *
 * @throws InputError for anything but an object.
 */
export function parseReadings(readings: unknown): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parseInput(assumptionsSchema, readings));
  return Object.fromEntries(entries.filter(([, choice]) => choice !== undefined));
}

/** Real time as a world's: it must be an instant that can be written down. */
export function readWallClockMs(wallClock: WallClock | undefined): number {
  const wallMs = wallClockMs("system", wallClock);
  if (wallMs >= 0 && wallMs <= LAST_INSTANT_MS) return wallMs;
  throw new InputError("wallClock", "must give milliseconds from 1970 to the year 9999");
}

function startMsOf(
  start: string | undefined,
  mode: ClockMode,
  wallClock: WallClock | undefined,
): number {
  const wallMs = mode === "system" ? readWallClockMs(wallClock) : undefined;
  if (start === undefined) return wallMs ?? parseInstant(DEFAULT_START) ?? 0;
  const startMs = parseInstant(start);
  if (startMs === undefined || startMs < 0 || startMs > LAST_INSTANT_MS) {
    throw new InputError(
      "start",
      'must be an instant in ISO 8601 from 1970 on, such as "2026-03-01T00:00:00Z"',
    );
  }
  if (wallMs !== undefined && startMs > wallMs) {
    throw new InputError(
      "start",
      `must not be after the system clock's ${formatInstant(wallMs)}. Use the clock "flowing" to start in the future`,
    );
  }
  return startMs;
}
