/** Proof that a property test reached the interesting places: a place never reached is an error, not a pass. */

interface MarkReport {
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
  const countOf = (name: string) => counts.get(name) ?? { reached: 0, looked: 0 };

  function report(wanted: readonly string[] = []): MarkReport {
    const names = [...new Set([...counts.keys(), ...wanted])];
    const neverReached = names.filter((name) => countOf(name).reached === 0);
    const lines = [...new Set([...neverReached, ...names])].map((name) => {
      const { reached, looked } = countOf(name);
      return `${reached} of ${looked}: ${name}`;
    });
    return { neverReached, text: lines.join("\n") };
  }

  return {
    sometimes(name, condition = true) {
      const { reached, looked } = countOf(name);
      counts.set(name, { reached: reached + (condition ? 1 : 0), looked: looked + 1 });
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
