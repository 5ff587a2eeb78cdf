/** The responses of the spec as JSON Schema (spec §2), keys in the documented order. Data only: what is open is decided above. */

import type { OperationId } from "./operations.ts";

/** A JSON Schema of the dialect 2020-12, as far as it is used here. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const count: JsonSchema = { type: "integer", minimum: 0 };
const date: JsonSchema = { type: "string", format: "date", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };

/** What of a response schema depends on the reading of open points. */
export interface ResponseReadings {
  /** Whether objects may hold fields that the spec doesn't list. */
  readonly additionalProperties: boolean;
  /** How many decimals an amount has at most. */
  readonly decimals: number;
  readonly surfaceStatus: JsonSchema;
  readonly payoutStatus: JsonSchema;
  /** What txn_id may be beside a text that is not empty. */
  readonly payoutReference: JsonSchema;
  /** Whether every payout has a txn_id. */
  readonly hasPayoutReference: boolean;
}

/** The body schema of each operation's success. Every documented field is there, save for what a reading leaves out. */
export function responseSchemas(
  readings: ResponseReadings,
): Readonly<Record<OperationId, JsonSchema>> {
  const inr: JsonSchema = {
    type: "number",
    minimum: 0,
    description: `INR, at most ${readings.decimals} decimals`,
  };
  const record = (
    properties: Readonly<Record<string, JsonSchema>>,
    optional: readonly string[] = [],
  ): JsonSchema => ({
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: readings.additionalProperties,
  });
  const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

  return {
    stats: record({
      publisher_id: text("The publisher queried"),
      period: record({ from: date, to: date }),
      impressions: { ...count, description: "Total impressions in the period" },
      clicks: { ...count, description: "Total clicks in the period" },
      revenue_inr: inr,
      surfaces: list(record({ id: text("Surface identifier"), impressions: count, revenue: inr })),
    }),
    impression: record({
      ok: { const: true },
      impression_id: text("Identifier of the recorded impression; used to record a click"),
      revenue_credited_inr: inr,
    }),
    click: record({
      ok: { const: true },
      click_id: text("Identifier of the recorded click"),
      revenue_credited_inr: inr,
    }),
    surfaces: record({
      surfaces: list(
        record({
          id: text("Surface identifier"),
          name: { type: "string", description: "Display name" },
          status: readings.surfaceStatus,
          cpm_range: {
            type: "array",
            prefixItems: [inr, inr],
            items: false,
            minItems: 2,
            description: "INR for a thousand impressions, lower bound first",
          },
        }),
      ),
    }),
    payouts: record({
      payouts: list(
        record(
          {
            id: text("Payout identifier"),
            date,
            amount_inr: inr,
            upi_id: text("Payee payment address of the publisher"),
            status: readings.payoutStatus,
            txn_id: {
              ...text("Transaction reference of the payment"),
              ...readings.payoutReference,
            },
          },
          readings.hasPayoutReference ? [] : ["txn_id"],
        ),
      ),
      pending_inr: { ...inr, description: "INR pending and not yet paid out" },
    }),
  };
}

function text(description: string): JsonSchema {
  return { type: "string", minLength: 1, description };
}

/** The same for who asks which members there are, and how they nest: under every reading. */
export const membersOfAnswers: Readonly<Record<OperationId, JsonSchema>> = responseSchemas({
  additionalProperties: true,
  decimals: 6,
  surfaceStatus: {},
  payoutStatus: {},
  payoutReference: {},
  hasPayoutReference: true,
});
