/**
 * What a scenario needs done, as data. The player is a generator that yields these and is told what came of them: so one
 * player serves a world in this process, at once, and any service over HTTP, with waiting.
 */

import type { Audit } from "../../audit/audit.ts";
import type { InstalledRule } from "../../faults/installed-rule.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { ClientExchange, Member, Outgoing } from "../../laws/client-exchange.ts";
import type { PlayedWorld } from "../../laws/law.ts";
import type { Readings } from "../../simulator/simulator-options.ts";
import type { Work } from "../../spec/work.ts";
import type { SignUpRequest, SurfaceChange } from "../../world/accounts/publisher-directory.ts";

import type { Punctuality, TrafficOrder } from "../traffic/order.ts";

/** By kind: what is given, and what comes back. */
export interface Effects {
  /** The time of the target, in milliseconds since 1970. */
  now: { input: Record<never, never>; output: number };
  /** Nothing: the player has worked for a while, and others may pass. */
  pass: { input: Record<never, never>; output: undefined };
  /** The publisher with this ordinal. Undefined where there is none. */
  member: { input: { readonly ordinal: number }; output: Member | undefined };
  /** The publisher with this id. Undefined where there is none, and where nobody tells. */
  publisher: { input: { readonly id: string }; output: Member | undefined };
  send: { input: { readonly outgoing: Outgoing }; output: ClientExchange };
  /** All at one instant. */
  together: {
    input: { readonly outgoing: readonly Outgoing[] };
    output: readonly ClientExchange[];
  };
  /** Lets so much time pass. */
  wait: { input: { readonly ms: number }; output: undefined };
  /** Sends it all, and is over when every answer is in. */
  traffic: { input: { readonly order: TrafficOrder }; output: Punctuality };
  assume: { input: { readonly readings: Readings }; output: undefined };
  assumptions: { input: Record<never, never>; output: Readings };
  fault: { input: { readonly rule: FaultRule }; output: string };
  rules: { input: Record<never, never>; output: readonly InstalledRule[] };
  /** Undefined: all of them. @throws InputError where there is no such rule. */
  heal: { input: { readonly ids: readonly string[] | undefined }; output: undefined };
  signUp: { input: { readonly request: SignUpRequest }; output: Member };
  setSurface: {
    input: { readonly publisher: string; readonly surface: string; readonly change: SurfaceChange };
    output: undefined;
  };
  rotateKey: { input: { readonly publisher: string }; output: Member };
  audit: { input: Record<never, never>; output: Omit<Audit, "assertNothingLostOrDoubled"> };
  /** The last entries. */
  journal: { input: { readonly limit: number }; output: readonly JournalEntry[] };
  /** The world, for the laws to copy and to audit; or why it can't be had. */
  world: { input: Record<never, never>; output: PlayedWorld | string };
  /** A world aside that goes on from this one; a later one takes its place. What is done in it leaves no trace here. */
  fork: { input: Record<never, never>; output: undefined };
  /** Done in the world aside. */
  scratch: { input: { readonly effect: PlainEffect }; output: unknown };
}

export type EffectKind = keyof Effects;
export type EffectOf<Kind extends EffectKind> = { readonly kind: Kind } & Effects[Kind]["input"];
export type Effect = { [Kind in EffectKind]: EffectOf<Kind> }[EffectKind];
/** What can be done aside too. */
export type PlainEffect = Exclude<Effect, { kind: "scratch" | "fork" | "traffic" | "world" }>;

/** A part of a scenario's play: yields effects, is told what came of each, and gives a result in the end. */
export type EffectGenerator<Result> = Generator<Effect, Result, unknown>;

/** Has an effect done. */
export function* perform<Kind extends EffectKind>(
  effect: EffectOf<Kind>,
): EffectGenerator<Effects[Kind]["output"]> {
  // Whoever drives the generator answers each effect with what its kind gives.
  return (yield effect as Effect) as Effects[Kind]["output"];
}

/** Has an effect done in the world aside. */
export function* performInScratch<Kind extends PlainEffect["kind"]>(
  effect: EffectOf<Kind>,
): EffectGenerator<Effects[Kind]["output"]> {
  return (yield { kind: "scratch", effect: effect as PlainEffect }) as Effects[Kind]["output"];
}

/** What a target can do, and how its time passes. */
export interface Capabilities {
  /** `virtual`: as the player says, at once. `paced`: as the player says, so much faster than real time. `real`: as it does everywhere. */
  readonly time:
    | { readonly kind: "virtual" }
    | { readonly kind: "paced" | "real"; readonly speed: number };
  /** Whether it is an adsim that lets us control it: faults, assumptions, sign-ups, audit, worlds aside. */
  readonly control: boolean;
}

/** Does effects at once; what may be many requests, in slices. */
export type Performers = {
  readonly [Kind in EffectKind]: (
    effect: EffectOf<Kind>,
  ) => Kind extends "traffic" | "together"
    ? Work<Effects[Kind]["output"]>
    : Effects[Kind]["output"];
};
