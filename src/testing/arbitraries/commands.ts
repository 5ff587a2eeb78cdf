/** Random commands to a client and its world. Sequences shrink to few and simple commands. */

import fc from "fast-check";
import { day, dayOfInstant, formatDay } from "../../base/calendar.ts";
import { DAY_MS } from "../../base/duration.ts";
import { given } from "../../base/given.ts";
import { InputError, inField } from "../../base/input.ts";
import { operations } from "../../spec/operations.ts";
import { checkKnown, checkNames, DEFAULT_START, instantMs, withDefaults } from "../options.ts";
import { atOnce, type ClientCommand, type Command, isOfClient } from "../session/command.ts";
import { anyWait, createWaits, edges, type Wait } from "./edges.ts";
import { type ArbitraryFaultRuleOptions, arbitraryFaultRule, maybe, seldom } from "./fault-plan.ts";
import { sequenceOf } from "./sequence.ts";

export type CommandKind = Command["kind"];

export interface ArbitraryCommandsOptions {
  /** The kinds of commands. @default all of them */
  readonly kinds?: readonly CommandKind[] | undefined;
  /** How often each kind comes, relative to the others: whole numbers. @default `commandWeights`, similar to a page */
  readonly weights?: Partial<Readonly<Record<CommandKind, number>>> | undefined;
  /** The rules of the kind `fault`. @default any: see {@link ArbitraryFaultRuleOptions} */
  readonly faults?: ArbitraryFaultRuleOptions | undefined;
  /** The maximum number of commands in a `together`. @default 4 */
  readonly mostTogether?: number | undefined;
  /**
   * The longest single `advance`, in milliseconds. Long waits are slow for a client that does something every second.
   *
   * @default 86400001, a day and a millisecond
   */
  readonly longestWaitMs?: number | undefined;
  /** The world's start: waits and periods are computed from it. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** @default 1 */
  readonly minLength?: number | undefined;
  /** @default 12 */
  readonly maxLength?: number | undefined;
}

/** How often each kind comes by default. */
export const commandWeights: Readonly<Record<CommandKind, number>> = Object.freeze({
  impression: 30,
  click: 16,
  again: 5,
  advance: 14,
  stats: 5,
  surfaces: 2,
  payouts: 3,
  flush: 3,
  // Nothing can happen to a closed client.
  close: 0,
  spend: 2,
  fault: 6,
  heal: 3,
  together: 8,
});
// The names of a record are its keys.
const commandKinds = Object.keys(commandWeights) as CommandKind[];

/** A command whose wait depends on when it comes. */
type Planned = Exclude<Command, { kind: "advance" }> | { kind: "advance"; wait: Wait };

/** One kind of command, and how often it comes. */
interface WeightedCommand {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Planned>;
}

/**
 * Sequences for `runSession`. Indexes of surfaces and ad views wrap around, so every part of a
 * sequence is valid too. Waits end near minutes, midnights and the ends of windows since the latest view.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryCommands(
  options: ArbitraryCommandsOptions = {},
): fc.Arbitrary<readonly Command[]> {
  const about = withDefaults(options, {
    kinds: commandKinds,
    weights: {},
    faults: {},
    mostTogether: 4,
    longestWaitMs: DAY_MS + 1,
    start: DEFAULT_START,
    minLength: 1,
    maxLength: 12,
  });
  checkKnown("kinds", about.kinds, commandKinds);
  inField("weights", () => checkNames(about.weights, commandKinds));
  const startMs = instantMs("start", about.start);
  const planned = fc.oneof({ withCrossShrink: true }, ...weighted(about, startMs));
  return sequenceOf(planned, about).map((list) => resolveWaits(list, startMs, about.longestWaitMs));
}

/** Computes each wait from the time at which it begins. If the client waits too, the clock is later and edges are missed. */
function resolveWaits(list: readonly Planned[], startMs: number, longestMs: number): Command[] {
  const waits = createWaits(startMs, longestMs);
  return list.map((planned): Command => {
    if (planned.kind === "advance") return { kind: "advance", byMs: waits.next(planned.wait).byMs };
    if (reports(planned)) waits.beginWindow();
    return planned;
  });
}

function reports(command: Exclude<Planned, { kind: "advance" }>): boolean {
  if (command.kind === "together")
    return command.commands.some(({ kind }) => kind === "impression");
  return command.kind === "impression";
}

type CommandOptions = {
  readonly [Name in keyof ArbitraryCommandsOptions]-?: NonNullable<ArbitraryCommandsOptions[Name]>;
};

function weighted(about: CommandOptions, startMs: number): WeightedCommand[] {
  const { kinds, weights, mostTogether, longestWaitMs } = about;
  const faults = inField("faults", () => arbitraryFaultRule(about.faults));
  const client = clientCommands(startMs);
  const weightOf = (kind: CommandKind): number => weights[kind] ?? commandWeights[kind];
  const chosen = commandKinds.filter((kind) => kinds.includes(kind) && weightOf(kind) > 0);
  if (chosen.length === 0)
    throw new InputError("weights", "must give at least one kind a weight above 0");
  const inside = chosen.filter((kind): kind is ClientKind => isOfClient({ kind }));
  if (chosen.includes("together") && inside.length === 0) {
    throw new InputError("kinds", "must have another command to the client besides together");
  }
  const of: Readonly<Record<CommandKind, () => fc.Arbitrary<Planned>>> = {
    ...client,
    advance: () =>
      anyWait(edges, longestWaitMs).map((wait): Planned => ({ kind: "advance", wait })),
    fault: () => faults.map((rule): Planned => ({ kind: "fault", rule })),
    heal: () => fc.constant({ kind: "heal" }),
    spend: () =>
      fc.record({
        kind: fc.constant("spend" as const),
        left: fc.nat(3),
        of: fc.constantFrom("recording" as const, "reporting" as const),
      }),
    together: () =>
      sequenceOf(
        fc.oneof(
          { withCrossShrink: true },
          ...inside.map((kind) => ({ weight: weightOf(kind), arbitrary: client[kind]() })),
        ),
        { minLength: 1, maxLength: mostTogether },
      ).map(atOnce),
  };
  return chosen.map((kind) => ({ weight: weightOf(kind), arbitrary: of[kind]() }));
}

type ClientKind = ClientCommand["kind"];

/** Periods begin at most this many days before the start. */
const MAX_DAYS_BACK = 45;

/** A kind that is missing here is a type error. */
function clientCommands(
  startMs: number,
): Readonly<Record<ClientKind, () => fc.Arbitrary<ClientCommand>>> {
  const startDay = dayOfInstant(startMs, 0);
  const daysBack = fc.nat(Math.min(MAX_DAYS_BACK, startDay));
  const place = fc.nat(4);
  // Undefined: a new ad.
  const adBefore = seldom(place);
  return {
    impression: () =>
      fc
        .tuple(
          fc.nat(2),
          fc.constantFrom("plain", "plain", "plain", "unusual", "numeric"),
          adBefore,
        )
        .map(
          ([surface, spelling, ad]): ClientCommand => ({
            kind: "impression",
            surface,
            ...(ad !== undefined && { ad }),
            ...(spelling !== "plain" && { spelling }),
          }),
        ),
    again: () => place.map((impression): ClientCommand => ({ kind: "again", impression })),
    click: () => place.map((impression): ClientCommand => ({ kind: "click", impression })),
    // Periods are never inverted or in the future: a client may refuse those.
    stats: () =>
      fc
        .tuple(maybe(fc.tuple(daysBack, maybe(daysBack))), maybe(fc.nat(2)))
        .map(([days, surface]): ClientCommand => {
          const [one, other] = days ?? [];
          const back = [one, other].filter((each) => each !== undefined);
          const at = (ago: number): string => formatDay(day(startDay - ago));
          return {
            kind: "stats",
            ...(one === undefined ? {} : { from: at(Math.max(...back)) }),
            ...(other === undefined ? {} : { to: at(Math.min(...back)) }),
            ...given({ surface }),
          };
        }),
    surfaces: () => fc.constant({ kind: "surfaces" }),
    payouts: () =>
      maybe(anyLimit).map((limit): ClientCommand => ({ kind: "payouts", ...given({ limit }) })),
    flush: () => fc.constant({ kind: "flush" }),
    close: () => fc.constant({ kind: "close" }),
  };
}

const { minimum, maximum, default: usual } = operations.payouts.parameters.limit;
const anyLimit = fc.oneof(
  fc.constantFrom<number>(minimum, maximum, usual),
  fc.integer({ min: minimum, max: maximum }),
);
