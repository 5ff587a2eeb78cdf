/** The responses of the spec as JSON Schema (spec §2), keys in the documented order. Data only: what is open is decided above. */

import type { Assumptions, Choice } from "./assumptions/catalogue.ts";
import type { OperationId } from "./operations.ts";

/** The statuses that a surface can have (spec §2, §3). */
export const surfaceStatuses = ["active", "paused", "pending_review", "archived"] as const;

export type SurfaceStatus = (typeof surfaceStatuses)[number];

/** The statuses that occur beside the documented `paid`, and it. */
export const payoutStatuses = ["processing", "paid", "on_hold", "failed", "reversed"] as const;

export type PayoutStatus = (typeof payoutStatuses)[number];

/** A JSON Schema of the dialect 2020-12, as far as it is used here. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What of a response schema depends on the reading of open points, and on what the schema is for. */
export interface ResponseReadings {
  /** Whether objects may hold fields that the spec doesn't list. @default nothing is said of them */
  readonly additionalProperties?: boolean;
  /** What stands for a schema that has a name: the schema itself, or a reference to it. @default itself */
  readonly named?: (name: string, schema: JsonSchema) => JsonSchema;
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
  const { named = itself, additionalProperties } = readings;
  const inr = (description: string): JsonSchema => ({
    type: "number",
    minimum: 0,
    description: `${description}, in INR with at most ${readings.decimals} decimals`,
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
    status: readings.surfaceStatus,
    cpm_range: {
      type: "array",
      prefixItems: [bound, bound],
      // For tools that don't know prefixItems.
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
      status: readings.payoutStatus,
      txn_id: { ...text("Transaction reference of the payment"), ...readings.payoutReference },
    },
    readings.hasPayoutReference ? [] : ["txn_id"],
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
        payouts: list("Payouts of the publisher", named("Payout", payout)),
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

/** The same for who asks which members there are, and how they nest: under every reading. */
export const membersOfAnswers: Readonly<Record<OperationId, JsonSchema>> = responseSchemas({
  decimals: 6,
  surfaceStatus: {},
  payoutStatus: {},
  payoutReference: {},
  hasPayoutReference: true,
});

const successTypes = {
  json: "application/json",
  "json-charset": "application/json; charset=utf-8",
} satisfies Record<Choice<"http.content-type">, string>;

/** The content type of a success's body under the assumptions. */
export function successTypeOf(assumptions: Assumptions): string {
  return successTypes[assumptions["http.content-type"]];
}

const challenges = {
  "401": 'Bearer realm="adsim"',
  "401-bare": undefined,
  "403": undefined,
} satisfies Record<Choice<"auth.failure">, string | undefined>;

/** Value of WWW-Authenticate under the assumptions; undefined where it isn't sent. */
export function challengeOf(assumptions: Assumptions): string | undefined {
  return challenges[assumptions["auth.failure"]];
}
