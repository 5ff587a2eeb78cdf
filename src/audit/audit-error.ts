/** What a failed assertion throws: made for the one who reads it in a test's output. */

/** Where a client and the ledger disagree. */
export interface AuditDifference {
  /** Its id; undefined: all publishers together. */
  readonly publisher: string | undefined;
  readonly what: "impressions" | "clicks" | "revenueInr";
  readonly client: number;
  readonly ledger: number;
  /** Sequences of the journal entries that can explain it, in order, each once. */
  readonly entries: readonly number[];
}

/** The client and the ledger disagree, or the books disagree with themselves. */
export class AuditError extends Error {
  override readonly name = "AuditError";
  /** Empty where only the books disagree with themselves. */
  readonly differences: readonly AuditDifference[];

  constructor(message: string, differences: AuditError["differences"]) {
    super(message);
    this.differences = differences;
  }
}
