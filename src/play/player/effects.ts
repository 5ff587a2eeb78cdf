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
  now: { given: Record<never, never>; gives: number };
  /** Nothing: the player has worked for a while, and others may pass. */
  pass: { given: Record<never, never>; gives: undefined };
  /** The publisher with this ordinal. Undefined where there is none. */
  member: { given: { readonly ordinal: number }; gives: Member | undefined };
  /** The publisher with this id. Undefined where there is none, and where nobody tells. */
  publisher: { given: { readonly id: string }; gives: Member | undefined };
  send: { given: { readonly outgoing: Outgoing }; gives: ClientExchange };
  /** All at one instant. */
  together: { given: { readonly outgoing: readonly Outgoing[] }; gives: readonly ClientExchange[] };
  /** Lets so much time pass. */
  wait: { given: { readonly ms: number }; gives: undefined };
  /** Sends it all, and is over when every answer is in. */
  traffic: { given: { readonly order: TrafficOrder }; gives: Punctuality };
  assume: { given: { readonly readings: Readings }; gives: undefined };
  assumptions: { given: Record<never, never>; gives: Readings };
  fault: { given: { readonly rule: FaultRule }; gives: string };
  rules: { given: Record<never, never>; gives: readonly InstalledRule[] };
  /** Undefined: all of them. @throws InputError where there is no such rule. */
  heal: { given: { readonly ids: readonly string[] | undefined }; gives: undefined };
  signUp: { given: { readonly request: SignUpRequest }; gives: Member };
  setSurface: {
    given: { readonly publisher: string; readonly surface: string; readonly change: SurfaceChange };
    gives: undefined;
  };
  rotateKey: { given: { readonly publisher: string }; gives: Member };
  audit: { given: Record<never, never>; gives: Omit<Audit, "assertNothingLostOrDoubled"> };
  /** The last entries. */
  journal: { given: { readonly limit: number }; gives: readonly JournalEntry[] };
  /** The world, for the laws to copy and to audit; or why it can't be had. */
  world: { given: Record<never, never>; gives: PlayedWorld | string };
  /** A world aside that goes on from this one; a later one takes its place. What is done in it leaves no trace here. */
  fork: { given: Record<never, never>; gives: undefined };
  /** Done in the world aside. */
  aside: { given: { readonly effect: PlainEffect }; gives: unknown };
}

export type EffectKind = keyof Effects;
export type EffectOf<Kind extends EffectKind> = { readonly kind: Kind } & Effects[Kind]["given"];
export type Effect = { [Kind in EffectKind]: EffectOf<Kind> }[EffectKind];
/** What can be done aside too. */
export type PlainEffect = Exclude<Effect, { kind: "aside" | "fork" | "traffic" | "world" }>;

/** A part of a scenario's play: yields effects, is told what came of each, and gives a result in the end. */
export type EffectGenerator<Result> = Generator<Effect, Result, unknown>;

/** Has an effect done. */
export function* perform<Kind extends EffectKind>(
  effect: EffectOf<Kind>,
): EffectGenerator<Effects[Kind]["gives"]> {
  // Whoever drives the generator answers each effect with what its kind gives.
  return (yield effect as Effect) as Effects[Kind]["gives"];
}

/** Has an effect done in the world aside. */
export function* performInScratch<Kind extends PlainEffect["kind"]>(
  effect: EffectOf<Kind>,
): EffectGenerator<Effects[Kind]["gives"]> {
  return (yield { kind: "aside", effect: effect as PlainEffect }) as Effects[Kind]["gives"];
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
  ) => Kind extends "traffic" | "together" ? Work<Effects[Kind]["gives"]> : Effects[Kind]["gives"];
};
