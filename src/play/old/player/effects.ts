/**
 * The effects that a play needs, as data. The player is a generator that yields effects and receives their outputs. So the
 * same player works synchronously on a world in this process and asynchronously on a service over HTTP.
 */

import type { AuditFigures } from "../../../audit/audit.ts";
import type { Stepwise } from "../../../base/stepwise.ts";
import type { InstalledRule } from "../../../faults/faults.ts";
import type { FaultRule } from "../../../faults/rule.ts";
import type { ClientExchange, Member, Outgoing } from "../../../invariants/client-exchange.ts";
import type { PlayedWorld } from "../../../invariants/log.ts";
import type { JournalEntry } from "../../../journal/entry.ts";
import type { Choices } from "../../../simulator/simulator-options.ts";
import type { SignUpRequest, SurfaceChange } from "../../../world/accounts/publisher-directory.ts";

import type { Punctuality, TrafficOrder } from "../../traffic/order.ts";

/** The input and output of each kind of effect. */
export interface Effects {
  /** The target's time, in milliseconds since 1970. */
  now: { input: Record<never, never>; output: number };
  /** Does nothing. The player yields it after long work, so that other work can run. */
  pass: { input: Record<never, never>; output: undefined };
  /** The publisher with this ordinal; undefined if there is none. */
  member: { input: { readonly ordinal: number }; output: Member | undefined };
  /** The publisher with this id; undefined if there is none or the target doesn't tell. */
  publisher: { input: { readonly id: string }; output: Member | undefined };
  send: { input: { readonly outgoing: Outgoing }; output: ClientExchange };
  /** Sends all requests at one instant. */
  together: {
    input: { readonly outgoing: readonly Outgoing[] };
    output: readonly ClientExchange[];
  };
  wait: { input: { readonly ms: number }; output: undefined };
  /** Ends when every answer is in. */
  traffic: { input: { readonly order: TrafficOrder }; output: Punctuality };
  assume: { input: { readonly choices: Choices }; output: undefined };
  assumptions: { input: Record<never, never>; output: Choices };
  fault: { input: { readonly rule: FaultRule }; output: string };
  rules: { input: Record<never, never>; output: readonly InstalledRule[] };
  /** Removes these rules; undefined removes all. @throws InputError for an unknown id. */
  heal: { input: { readonly ids: readonly string[] | undefined }; output: undefined };
  signUp: { input: { readonly request: SignUpRequest }; output: Member };
  setSurface: {
    input: { readonly publisher: string; readonly surface: string; readonly change: SurfaceChange };
    output: undefined;
  };
  rotateKey: { input: { readonly publisher: string }; output: Member };
  audit: { input: Record<never, never>; output: AuditFigures };
  /** The last `limit` entries. */
  journal: { input: { readonly limit: number }; output: readonly JournalEntry[] };
  /** The world, for the invariants to copy and audit; or the reason why it isn't available. */
  world: { input: Record<never, never>; output: PlayedWorld | string };
  /** Makes a scratch copy of the world, in place of an earlier one. Effects in it leave no trace in the world. */
  fork: { input: Record<never, never>; output: undefined };
  /** Performs an effect in the scratch copy. */
  scratch: { input: { readonly effect: PlainEffect }; output: unknown };
}

export type EffectKind = keyof Effects;
export type EffectOf<Kind extends EffectKind> = { readonly kind: Kind } & Effects[Kind]["input"];
export type Effect = { [Kind in EffectKind]: EffectOf<Kind> }[EffectKind];
/** The effects that a scratch copy can perform too. */
export type PlainEffect = Exclude<Effect, { kind: "scratch" | "fork" | "traffic" | "world" }>;

/** A part of a play: yields effects, receives the output of each, and returns a result. */
export type EffectGenerator<Result> = Generator<Effect, Result, unknown>;

/** Performs an effect. */
export function* perform<Kind extends EffectKind>(
  effect: EffectOf<Kind>,
): EffectGenerator<Effects[Kind]["output"]> {
  // The cast is safe: the driver answers each effect with the output of its kind.
  return (yield effect as Effect) as Effects[Kind]["output"];
}

/** Performs an effect in the scratch copy. */
export function* performInScratch<Kind extends PlainEffect["kind"]>(
  effect: EffectOf<Kind>,
): EffectGenerator<Effects[Kind]["output"]> {
  return (yield { kind: "scratch", effect: effect as PlainEffect }) as Effects[Kind]["output"];
}

/** The capabilities of a target, and how its time passes. */
export interface Capabilities {
  /** `virtual`: the player moves the clock instantly. `paced`: the player moves it at `speed`. `real`: the target's own clock. */
  readonly time:
    | { readonly kind: "virtual" }
    | { readonly kind: "paced" | "real"; readonly speed: number };
  /** Whether it is an adsim with its control API open: faults, assumptions, sign-ups, audit, scratch copies. */
  readonly control: boolean;
  /** The choices that another service is known to make. */
  readonly knownChoices?: Choices | undefined;
}

/** Whether another service is known to make these choices anyway. */
export function makesChoices({ knownChoices = {} }: Capabilities, wanted: Choices): boolean {
  const known: Readonly<Record<string, string | undefined>> = knownChoices;
  return Object.entries(wanted).every(
    ([key, choice]) => choice === undefined || known[key] === choice,
  );
}

/** Performs effects synchronously. Those that may take long do it stepwise. */
export type Performers = {
  readonly [Kind in EffectKind]: (
    effect: EffectOf<Kind>,
  ) => Kind extends "traffic" | "together"
    ? Stepwise<Effects[Kind]["output"]>
    : Effects[Kind]["output"];
};
