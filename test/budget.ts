/**
 * How much the long tests try. What they say of runs, sequences and rows is what RUNS=1 tries: run it before a release. `npm test`
 * tries a tenth, and of the planted defects those that are noticed soon; `.ci/run` tries a quarter. RUNS=10 goes on exploring.
 */

const share = Number(process.env.RUNS ?? 0.1);
if (!(share > 0)) throw new Error(`RUNS must be a number above 0, not ${process.env.RUNS}.`);

/** Whether tests also try what takes long and can't be tried in part. */
export const isThorough = share >= 0.5;

/** The share of so many runs, and never fewer than `least` of them. */
export function runsOf(runs: number, least = 10): number {
  return Math.max(Math.min(runs, least), Math.round(runs * share));
}

/** The share of a list, spread evenly over it, and always the first of it. */
export function someOf<Value>(all: readonly Value[]): readonly Value[] {
  return all.filter((_, index) => Math.floor((index - 1) * share) < Math.floor(index * share));
}
