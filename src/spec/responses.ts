/** The responses of the spec as JSON Schema (spec §2), with keys in the documented order. Callers pass in the choices. */

import type { Assumptions, Choice } from "./assumptions/catalogue.ts";
import { type OperationId, operations } from "./operations.ts";

/** The statuses that a surface can have (spec §2, §3). */
export const surfaceStatuses = ["active", "paused", "pending_review", "archived"] as const;

export type SurfaceStatus = (typeof surfaceStatuses)[number];

/** The documented status `paid`, and the others of `payout.statuses` (spec §2, §3). */
export const payoutStatuses = ["processing", "paid", "on_hold", "failed", "reversed"] as const;

export type PayoutStatus = (typeof payoutStatuses)[number];

/** A JSON Schema (dialect 2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The parts of a response schema that depend on assumptions and on the purpose of the schema. */
export interface ResponseChoices {
  /** Whether objects may hold fields that the spec doesn't list. @default the schemas don't say */
  readonly additionalProperties?: boolean;
  /** Replaces a named schema, for example with a reference. @default the schema itself */
  readonly named?: (name: string, schema: JsonSchema) => JsonSchema;
  /** How many decimals an amount has at most. */
  readonly decimals: number;
  readonly surfaceStatus: JsonSchema;
  readonly payoutStatus: JsonSchema;
  /** Changes the schema of txn_id, which is otherwise a non-empty string. */
  readonly payoutReference: JsonSchema;
  /** Whether every payout has a txn_id. */
  readonly hasPayoutReference: boolean;
}

/** The schema of each operation's success body. All documented fields are required, unless an assumption omits one. */
export function responseSchemas(
  choices: ResponseChoices,
): Readonly<Record<OperationId, JsonSchema>> {
  const { named = itself, additionalProperties } = choices;
  const inr = (description: string): JsonSchema => ({
    type: "number",
    minimum: 0,
    description: `${description}, in INR with at most ${choices.decimals} decimals`,
  });
  const record = (
    properties: Readonly<Record<string, JsonSchema>>,
    optional: readonly string[] = [],
  ): JsonSchema => ({
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  });
  const list = (description: string, items: JsonSchema): JsonSchema => ({
    type: "array",
    description,
    items,
  });
  const bound = inr("Price of a thousand impressions");

  const surface = record({
    id: text("Surface identifier"),
    name: { type: "string", description: "Display name" },
    status: choices.surfaceStatus,
    cpm_range: {
      type: "array",
      prefixItems: [bound, bound],
      // For tools that don't support prefixItems.
      items: bound,
      minItems: 2,
      maxItems: 2,
      description: "Prices in INR for a thousand impressions: the lower bound, then the upper one",
    },
  });
  const surfaceStats = record({
    id: text("Surface identifier"),
    impressions: count("Impressions of the surface in the period"),
    revenue: inr("Revenue of the surface in the period"),
  });
  const payout = record(
    {
      id: text("Payout identifier"),
      date: date("Day of the payout"),
      amount_inr: inr("Amount of the payout"),
      upi_id: text("Payee payment address of the publisher"),
      status: choices.payoutStatus,
      txn_id: { ...text("Transaction reference of the payment"), ...choices.payoutReference },
    },
    choices.hasPayoutReference ? [] : ["txn_id"],
  );
  return {
    stats: named(
      "Stats",
      record({
        publisher_id: text("The publisher queried"),
        period: named(
          "Period",
          record({ from: date("First day of the period"), to: date("Last day of the period") }),
        ),
        impressions: count("Total impressions in the period"),
        clicks: count("Total clicks in the period"),
        revenue_inr: inr("Total revenue in the period"),
        surfaces: list("Figures by surface", named("SurfaceStats", surfaceStats)),
      }),
    ),
    impression: named(
      "ImpressionResult",
      record({
        ok: ok("The impression was accepted"),
        impression_id: text("Identifier of the recorded impression; used to record a click"),
        revenue_credited_inr: inr("Revenue credited for this request"),
      }),
    ),
    click: named(
      "ClickResult",
      record({
        ok: ok("The click was accepted"),
        click_id: text("Identifier of the recorded click"),
        revenue_credited_inr: inr("Revenue credited for this request"),
      }),
    ),
    surfaces: named(
      "Surfaces",
      record({ surfaces: list("All surfaces of the publisher", named("Surface", surface)) }),
    ),
    payouts: named(
      "Payouts",
      record({
        payouts: {
          ...list("Payouts of the publisher", named("Payout", payout)),
          maxItems: operations.payouts.parameters.limit.maximum,
        },
        pending_inr: inr("Amount pending and not yet paid out"),
      }),
    ),
  };
}

function itself(_name: string, schema: JsonSchema): JsonSchema {
  return schema;
}

function text(description: string): JsonSchema {
  return { type: "string", minLength: 1, description };
}

function count(description: string): JsonSchema {
  return { type: "integer", minimum: 0, description };
}

function date(description: string): JsonSchema {
  return { type: "string", format: "date", pattern: "^\\d{4}-\\d{2}-\\d{2}$", description };
}

function ok(description: string): JsonSchema {
  return { type: "boolean", const: true, description };
}

/**
 * The schemas of successes, which allow whatever some choice of the assumptions allows. No choice changes the names and nesting
 * of members.
 */
export const lenientSchemas: Readonly<Record<OperationId, JsonSchema>> = responseSchemas({
  decimals: 6,
  surfaceStatus: { type: "string" },
  payoutStatus: { type: "string" },
  payoutReference: { minLength: 0 },
  hasPayoutReference: false,
});

const successTypes = {
  documented: "application/json",
  evolved: "application/json; charset=utf-8",
} satisfies Record<Choice<"response.form">, string>;

export function successTypeOf(assumptions: Assumptions): string {
  return successTypes[assumptions["response.form"]];
}

const challenges = {
  "401": 'Bearer realm="adsim"',
  "403": undefined,
} satisfies Record<Choice<"auth.failure">, string | undefined>;

/** The value of WWW-Authenticate under the assumptions; undefined if the header isn't sent. */
export function challengeOf(assumptions: Assumptions): string | undefined {
  return challenges[assumptions["auth.failure"]];
}
