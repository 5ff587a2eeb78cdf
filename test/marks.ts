/** Proof that a property test reached the interesting places: a place never reached is an error, not a pass. */

/** A place in a test, and how often it was reached. */
export interface Mark {
  readonly name: string;
  /** How often the condition held. */
  readonly reached: number;
  /** How often the condition was checked. */
  readonly looked: number;
  /** `reached` / `looked`, from 0 to 1; 0 if it was never checked. */
  readonly share: number;
}

export interface MarkReport {
  /** In order of first use, then the wanted ones that were never checked. */
  readonly marks: readonly Mark[];
  /** The names that were checked or wanted, and never reached. */
  readonly neverReached: readonly string[];
  /** One line a mark; the ones never reached come first. */
  readonly text: string;
}

export interface Marks {
  /**
   * Counts one check of the place, and whether the condition held.
   *
   * @returns the condition.
   */
  sometimes(this: void, name: string, condition?: boolean): boolean;
  /** The counts so far. `wanted`: names to include even if they were never checked. */
  report(wanted?: readonly string[]): MarkReport;
  /** @throws Error that lists the marks that were checked or wanted, and never reached. */
  expectReached(wanted?: readonly string[]): void;
}

/** Marks of one campaign. All its runs count, including those that shrink a failure. */
export function createMarks(): Marks {
  const counts = new Map<string, { reached: number; looked: number }>();

  function report(wanted: readonly string[] = []): MarkReport {
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
