/** Proof that a property test reached the interesting places: one that was never reached is reported, not green. */

import { InputError } from "../base/input.ts";

/** A place, and how often it was reached. */
export interface Mark {
  readonly name: string;
  /** How often the condition held. */
  readonly reached: number;
  /** How often it was looked at. */
  readonly looked: number;
  /** `reached` of `looked`, from 0 to 1; 0 where nobody looked. */
  readonly share: number;
}

export interface MarkReport {
  /** In the order in which they were first named, the wanted ones that nobody looked at last. */
  readonly marks: readonly Mark[];
  /** Those that were looked at or wanted, and never reached. */
  readonly neverReached: readonly string[];
  /** A line for each of them; the ones never reached first. */
  readonly text: string;
}

export interface Marks {
  /**
   * Notes that the place was reached, where the condition holds. Where it doesn't, that it was looked at.
   *
   * @returns the condition.
   */
  sometimes(this: void, name: string, condition?: boolean): boolean;
  /** What was noted so far. `wanted`: places that have to be in it. */
  report(wanted?: readonly string[]): MarkReport;
  /** @throws Error that lists the places, of these and of all that were looked at, that were never reached. */
  expectReached(wanted?: readonly string[]): void;
}

/** Marks of one campaign. They are counted over all its runs, those that shrink a failure included. */
export function createMarks(): Marks {
  const counts = new Map<string, { reached: number; looked: number }>();

  function report(wanted: readonly string[] = []): MarkReport {
    if (!Array.isArray(wanted)) throw new InputError("wanted", "must be a list of names");
    const names = new Set([...counts.keys(), ...wanted]);
    const marks = Array.from(names, (name): Mark => {
      const { reached, looked } = counts.get(name) ?? { reached: 0, looked: 0 };
      return { name, reached, looked, share: looked === 0 ? 0 : reached / looked };
    });
    const neverReached = marks.filter(({ reached }) => reached === 0).map(({ name }) => name);
    return { marks, neverReached, text: textOf(marks) };
  }

  return {
    sometimes(name, condition = true) {
      const count = counts.get(name) ?? { reached: 0, looked: 0 };
      counts.set(name, count);
      count.looked += 1;
      if (condition) count.reached += 1;
      return condition;
    },
    report,
    expectReached(wanted = []) {
      const { neverReached, text } = report(wanted);
      if (neverReached.length === 0) return;
      throw new Error(`Never reached: ${neverReached.join("; ")}.\n${text}`);
    },
  };
}

function textOf(marks: readonly Mark[]): string {
  return marks
    .toSorted((one, other) => Number(one.reached > 0) - Number(other.reached > 0))
    .map(({ name, reached, looked, share }) => {
      if (reached === 0) return `never: ${name}${looked === 0 ? "" : ` (of ${looked})`}`;
      return `${reached}: ${name}${reached === looked ? "" : ` (${percent(share)} of ${looked})`}`;
    })
    .join("\n");
}

function percent(share: number): string {
  return share < 0.01 ? "less than 1%" : `${Math.floor(share * 100)}%`;
}
