/** Shares as whole numbers, which is all that Artillery takes for weights. */

/** It lists each choice a hundred times its weight: a sum beyond this would take its memory. */
const LARGEST_SUM = 10_000;

/** Whole numbers in the proportion of `weights`, all above 0: the smallest that fit, or the nearest of those that are allowed. */
export function wholeWeights(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const least = Math.min(...weights);
  for (let times = 1; (times * sum) / least <= LARGEST_SUM; times += 1) {
    const scaled = weights.map((weight) => (weight / least) * times);
    if (scaled.every(isNearlyWhole)) return scaled.map(Math.round);
  }
  return weights.map((weight) => Math.max(1, Math.round((weight / sum) * LARGEST_SUM)));
}

function isNearlyWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6 * value;
}
