/** The options of a simulator. They are resolved once, at the edge. */

import * as v from "valibot";
import { formatInstant, LAST_INSTANT_MS, parseInstant } from "../base/calendar.ts";
import { type ClockMode, clockModes, type WallClock, wallClockMs } from "../base/clock.ts";
import { InputError, inField, isPlainObject, parseInput } from "../base/input.ts";
import { type Schema, strictObject, wholeBetween } from "../base/schemas.ts";
import { type CorsOption, parseCorsOption } from "../exchange/cors.ts";
import { type FaultFunction, type FaultRule, MAX_RULES, parseRule } from "../faults/rule.ts";
import type { AssumptionKey, Choice } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { MAX_POPULATION } from "../world/publishers/population.ts";
import { type Profile, profileNames } from "../world/publishers/profiles.ts";
import type { WorldSettings } from "../world/publishers/world-settings.ts";

/** Choices for some of the assumptions, by key. */
export type Choices = { readonly [Key in AssumptionKey]?: Choice<Key> | undefined };

/** The options of a simulator. The same options and requests give the same bytes. */
export interface SimulatorOptions {
  /** @default "adsim" */
  readonly seed?: string | undefined;
  /** When the clock starts, in ISO 8601. The seeded history ends here. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** How many seeded publishers there are, 1 to 1,000,000. @default 25 */
  readonly publishers?: number | undefined;
  /** @default "typical" */
  readonly profile?: Profile | undefined;
  /** Choices for assumptions, by key. @default each assumption's default */
  readonly assumptions?: Choices | undefined;
  /** @default "frozen" */
  readonly clock?: ClockMode | undefined;
  /** Real time for a clock that isn't frozen, in milliseconds since 1970, such as `Date.now`. */
  readonly wallClock?: WallClock | undefined;
  /** Whether every response names in `X-Adsim-Assumptions` the assumptions that shaped it. @default false */
  readonly explain?: boolean | undefined;
  /**
   * Origins such as `"https://app.example"` whose pages may call the API, in addition to loopback origins such as
   * `"http://localhost:5173"`. `"*"` allows every origin, `"off"` none.
   *
   * @default []
   */
  readonly cors?: CorsOption | undefined;
  /** Fault rules in force from the start and after each reset; at most 1,000. @default none */
  readonly faults?: readonly (FaultRule | FaultFunction)[] | undefined;
  /** How many requests the journal holds; 0 turns it off. @default 10000 */
  readonly journalEntries?: number | undefined;
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

export const DEFAULT_START = "2026-01-15T00:00:00Z";

// Valibot's record would skip names such as "constructor".
const assumptionsSchema = v.custom<Readonly<Record<string, unknown>>>(
  isPlainObject,
  'must be an object of choices by key, such as { "dedup.repeat": "conflict" }',
);

const publisherCount: Schema<number> = wholeBetween(1, MAX_POPULATION);

const optionsSchema = strictObject({
  seed: v.optional(v.string(), "adsim"),
  start: v.optional(v.string()),
  publishers: v.optional(publisherCount, 25),
  profile: v.optional(v.picklist(profileNames), "typical"),
  assumptions: v.optional(assumptionsSchema, {}),
  clock: v.optional(v.picklist(clockModes), "frozen"),
  wallClock: v.optional(
    v.custom<WallClock>(
      (value) => typeof value === "function",
      "must be a function that returns milliseconds since 1970, such as Date.now",
    ),
  ),
  explain: v.optional(v.boolean(), false),
  // parseCorsOption checks it.
  cors: v.optional(
    v.custom<CorsOption>(() => true),
    [],
  ),
  // parseRule checks each of them.
  faults: v.optional(
    v.pipe(
      v.custom<readonly (FaultRule | FaultFunction)[]>(Array.isArray, "must be a list of rules"),
      v.check((rules) => rules.length <= MAX_RULES, `must be at most ${MAX_RULES} rules`),
    ),
    [],
  ),
  journalEntries: v.optional(wholeBetween(0, 10_000_000), 10_000),
});

/** @throws InputError that names the invalid option. */
export function resolveOptions(options: SimulatorOptions) {
  const given = parseInput(optionsSchema, options, "options");
  const { seed, start, publishers, profile, assumptions: chosen, faults, ...others } = given;
  const assumptions = resolveAssumptions(chosen);
  const startMs = startMsOf(start, others.clock, others.wallClock);
  const settings: WorldSettings = { seed, startMs, publishers, profile, assumptions };
  return {
    ...others,
    settings,
    origins: parseCorsOption(others.cors),
    faults: faults.map((rule, index) =>
      typeof rule === "function" ? rule : inField(`faults.${index}`, () => parseRule(rule, "")),
    ),
  };
}

/** The defined ones. Doesn't check whether keys and choices exist. @throws InputError for anything but an object. */
export function parseChoices(choices: unknown): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parseInput(assumptionsSchema, choices));
  return Object.fromEntries(entries.filter(([, choice]) => choice !== undefined));
}

/** Real time for a world, checked to be in the range that timestamps can express. */
export function readWallClockMs(wallClock: WallClock | undefined): number {
  const wallMs = wallClockMs("system", wallClock);
  if (wallMs >= 0 && wallMs <= LAST_INSTANT_MS) return wallMs;
  throw new InputError("wallClock", "must return milliseconds since 1970, up to the year 9999");
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
      'must be an instant in ISO 8601, 1970 or later, such as "2026-03-01T00:00:00Z"',
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
