/** The error of a failed audit, made to be read in a test's output. */

/** One figure on which a client and the books disagree. */
export interface AuditDifference {
  /** Id of the publisher; undefined for all publishers together. */
  readonly publisher: string | undefined;
  readonly what: "impressions" | "clicks" | "revenueInr";
  readonly client: number;
  readonly ledger: number;
  /** Sequences of the journal entries that can explain it, in ascending order, each once. */
  readonly entries: readonly number[];
}

/** The client and the books disagree, or the books contradict themselves. */
export class AuditError extends Error {
  override readonly name = "AuditError";
  /** Empty if only the books contradict themselves. */
  readonly differences: readonly AuditDifference[];

  constructor(message: string, differences: AuditError["differences"]) {
    super(message);
    this.differences = differences;
  }
}
