/** A place in a scenario that is being checked, with what is known there, and the errors that name it. */

import { InputError, renamingField } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import type { StepKind } from "./step-kind.ts";
import { type OutputShape, shapeWithin } from "./step-outputs.ts";

export interface Place {
  /** The path to it. All places share the list: it is right for the place where the walk is. */
  readonly path: string[];
  readonly scope: Scope;
  /** What values are for. A request sends them, so references must lead to plain values. */
  readonly use: "request" | "matcher";
  /** Inside a repeat or parallel. */
  readonly isInRound: boolean;
  /** What a matcher at this place will be compared with, as far as that is known. */
  readonly shape: OutputShape | undefined;
}

/** What is known of the steps before. */
export interface Scope {
  /** Kinds of earlier steps by their names. */
  readonly names: Map<string, StepKind>;
  readonly publishers: number;
  readonly maxSteps: number;
  steps: number;
  hasAnswer: boolean;
}

/** @throws InputError at the place, or at a member of it. */
export function fail({ path }: Place, expected: string, ...members: readonly string[]): never {
  throw new InputError([...path, ...members].map(shownName).join(".") || "scenario", expected);
}

/** Runs a check whose errors name a field of what is at the place. */
export function inPlace<Result>({ path }: Place, check: () => Result): Result {
  const whole = path.map(shownName).join(".");
  return renamingField((field) => (field === "" ? whole : `${whole}.${field}`), check);
}

/** The same place for a member or an element. Rules such as `every` and `oneOf` contain matchers. */
export function placeWithin(place: Place, name: string): Place {
  return place.shape === undefined ? place : { ...place, shape: shapeWithin(place.shape, name) };
}
