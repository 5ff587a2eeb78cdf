/** The responses of the spec as JSON Schema (spec §2), with keys in the documented order. */

import type { Assumptions, Choice } from "./assumptions/catalogue.ts";
import { type OperationId, operations } from "./operations.ts";

/** The statuses that a surface can have (spec §2, §3). */
export const surfaceStatuses = ["active", "paused", "pending_review", "archived"] as const;

export type SurfaceStatus = (typeof surfaceStatuses)[number];

/** The documented status `paid`, and the others of `payout.statuses` (spec §2, §3). */
export const payoutStatuses = ["processing", "paid", "on_hold", "failed", "reversed"] as const;

export type PayoutStatus = (typeof payoutStatuses)[number];

/** A JSON Schema (dialect 2020-12). These are the keywords that code reads. */
export interface JsonSchema {
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean";
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly [keyword: string]: unknown;
}

const decimals = { exact: 6, paise: 2 } satisfies Record<Choice<"money.precision">, number>;

const surfaceStatus = {
  documented: { type: "string", minLength: 1, description: "`active` unless it was changed" },
  extended: {
    type: "string",
    enum: surfaceStatuses,
    description: "Only impressions on `active` surfaces earn revenue",
  },
} satisfies Record<Choice<"surface.statuses">, JsonSchema>;

/** What a payout's status is, what is special about its txn_id, and which members may be missing. */
interface PayoutSchema {
  readonly status: JsonSchema;
  readonly txnId?: JsonSchema;
  readonly optional?: readonly string[];
}

const anyStatus = { type: "string", enum: payoutStatuses, description: "Payout status" } as const;
const payouts = {
  documented: { status: { type: "string", const: "paid", description: "Payout status" } },
  extended: { status: anyStatus, txnId: { minLength: 0 } },
  "extended-without-txn": { status: anyStatus, optional: ["txn_id"] },
} satisfies Record<Choice<"payout.statuses">, PayoutSchema>;

export interface SchemaOptions {
  /** Whether objects may hold fields that the spec doesn't list. @default the schemas don't say */
  readonly additionalProperties?: boolean;
  /** Replaces a named schema, for example with a reference. @default the schema itself */
  readonly named?: (name: string, schema: JsonSchema) => JsonSchema;
}

/**
 * The schema of each operation's success body under the assumptions. Without assumptions, one that allows whatever some
 * choice of them allows. No choice changes the names and nesting of members.
 */
export function responseSchemas(
  assumptions: Assumptions | undefined,
  { additionalProperties, named = (_, schema) => schema }: SchemaOptions = {},
): Readonly<Record<OperationId, JsonSchema>> {
  const payoutSchema: PayoutSchema = assumptions
    ? payouts[assumptions["payout.statuses"]]
    : { status: { type: "string" }, txnId: { minLength: 0 }, optional: ["txn_id"] };
  const places = decimals[assumptions?.["money.precision"] ?? "exact"];
  const inr = (what: string): JsonSchema => ({
    type: "number",
    minimum: 0,
    description: `${what}, in INR with at most ${places} decimals`,
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
  const bound = inr("Price of a thousand impressions");

  const period = record({
    from: date("First day of the period"),
    to: date("Last day of the period"),
  });
  const surfaceStats = record({
    id: text("Surface identifier"),
    impressions: count("Impressions of the surface in the period"),
    revenue: inr("Revenue of the surface in the period"),
  });
  const stats = record({
    publisher_id: text("The publisher queried"),
    period: named("Period", period),
    impressions: count("Total impressions in the period"),
    clicks: count("Total clicks in the period"),
    revenue_inr: inr("Total revenue in the period"),
    surfaces: list("Figures by surface", named("SurfaceStats", surfaceStats)),
  });
  const impression = record({
    ok: ok("The impression was accepted"),
    impression_id: text("Identifier of the recorded impression; used to record a click"),
    revenue_credited_inr: inr("Revenue credited for this request"),
  });
  const click = record({
    ok: ok("The click was accepted"),
    click_id: text("Identifier of the recorded click"),
    revenue_credited_inr: inr("Revenue credited for this request"),
  });
  const surface = record({
    id: text("Surface identifier"),
    name: { type: "string", description: "Display name" },
    status: assumptions ? surfaceStatus[assumptions["surface.statuses"]] : { type: "string" },
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
  const payoutMembers = {
    id: text("Payout identifier"),
    date: date("Day of the payout"),
    amount_inr: inr("Amount of the payout"),
    upi_id: text("Payee payment address of the publisher"),
    status: payoutSchema.status,
    txn_id: { ...text("Transaction reference of the payment"), ...payoutSchema.txnId },
  };
  const payout = record(payoutMembers, payoutSchema.optional);
  const maxItems = operations.payouts.parameters.limit.maximum;
  return {
    stats: named("Stats", stats),
    impression: named("ImpressionResult", impression),
    click: named("ClickResult", click),
    surfaces: named(
      "Surfaces",
      record({ surfaces: list("All surfaces of the publisher", named("Surface", surface)) }),
    ),
    payouts: named(
      "Payouts",
      record({
        payouts: { ...list("Payouts of the publisher", named("Payout", payout)), maxItems },
        pending_inr: inr("Amount pending and not yet paid out"),
      }),
    ),
  };
}

function list(description: string, items: JsonSchema): JsonSchema {
  return { type: "array", description, items };
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

/** The schemas of successes that allow whatever some choice of the assumptions allows. */
export const lenientSchemas = responseSchemas(undefined);

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
