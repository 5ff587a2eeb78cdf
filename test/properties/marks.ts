/** Proof that a campaign reached the interesting places: a mark that was never reached fails the test. */

export interface Marks {
  /** Notes that the place was reached. */
  sometimes(place: string): void;
  /** How often each place was reached. @throws Error that lists the wanted ones that never were. */
  report(wanted: readonly string[]): Readonly<Record<string, number>>;
}

export function createMarks(): Marks {
  const reached = new Map<string, number>();
  return {
    sometimes(place) {
      reached.set(place, (reached.get(place) ?? 0) + 1);
    },
    report(wanted) {
      const never = wanted.filter((place) => !reached.has(place));
      if (never.length > 0) throw new Error(`The campaign never reached: ${never.join("; ")}.`);
      return Object.fromEntries(reached);
    },
  };
}
