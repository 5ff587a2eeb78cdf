/** Proof that a property test reached the interesting places: a place never reached is an error, not a pass. */

export interface Marks {
  /** Counts one check of the place, and whether the condition was true. */
  sometimes(this: void, name: string, condition?: boolean): void;
  /** One line a mark. */
  report(): string;
  /** @throws Error that lists the marks that were checked or wanted, and never reached. */
  expectReached(wanted?: readonly string[]): void;
}

/** Marks of one campaign. All its runs count, including those that shrink a failure. */
export function createMarks(): Marks {
  const reached = new Map<string, number>();
  const report = (): string =>
    Array.from(reached, ([name, times]) => `${times} times: ${name}`).join("\n");
  return {
    sometimes(name, condition = true) {
      reached.set(name, (reached.get(name) ?? 0) + (condition ? 1 : 0));
    },
    report,
    expectReached(wanted = []) {
      const names = new Set([...reached.keys(), ...wanted]);
      const never = [...names].filter((name) => !reached.get(name));
      if (never.length > 0) throw new Error(`Never reached: ${never.join("; ")}.\n${report()}`);
    },
  };
}
