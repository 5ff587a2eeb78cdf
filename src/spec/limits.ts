/** The request limits that the spec documents (spec §8). */

/** `recording`: the impression and click endpoints. `reporting`: the stats and reporting endpoints. */
export type LimitClass = "recording" | "reporting";

/** At most `requests` in any `windowMs`, counted separately for each `scope`. */
export interface DocumentedLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly scope: "publisher" | "api-key";
}

export const documentedLimits = {
  recording: { requests: 10_000, windowMs: 60_000, scope: "publisher" },
  reporting: { requests: 60, windowMs: 60_000, scope: "api-key" },
} as const;

documentedLimits satisfies Record<LimitClass, DocumentedLimit>;
