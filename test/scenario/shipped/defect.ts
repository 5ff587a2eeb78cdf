/** A defect planted into a copy of the simulator's sources: a shipped scenario must notice it. */

export interface Defect {
  /** Name of the shipped scenario that breaks. */
  readonly scenario: string;
  /** Below `src/`. */
  readonly file: string;
  /** Occurs there once. */
  readonly find: string;
  readonly replace: string;
  /** What is wrong then, in a few words. */
  readonly says: string;
}
