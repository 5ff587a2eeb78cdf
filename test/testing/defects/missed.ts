/** The planted clients that the contract doesn't catch with its default options, by name. Fill it in with `measure.ts`. */

export const missed: ReadonlySet<string> = new Set<string>([]);
