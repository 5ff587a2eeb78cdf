/**
 * The responses of the spec as JSON Schema (spec §2), with keys in the documented order, and whether a success is one of them:
 * for the invariant of shape, for clients that must notice a wrong answer, and for the audit of those that didn't.
 */

import { parseDay } from "../base/calendar.ts";
import { isPlainObject } from "../base/input.ts";
import { jsonIn } from "../base/parse-json.ts";
import type { Assumptions, Choice } from "./assumptions/catalogue.ts";
import { type OperationId, operations } from "./operations.ts";

/** The statuses that a surface can have (spec §2, §3). */
export const surfaceStatuses = ["active", "paused", "pending_review", "archived"] as const;
export type SurfaceStatus = (typeof surfaceStatuses)[number];

/** The documented status `paid`, and the others of `payout.statuses` (spec §2, §3). */
const payoutStatuses = ["processing", "paid", "on_hold", "failed", "reversed"] as const;
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

const DATE = "^\\d{4}-\\d{2}-\\d{2}$";

const text = (description: string) => ({ type: "string", minLength: 1, description }) as const;
const count = (description: string) => ({ type: "integer", minimum: 0, description }) as const;
const ok = (description: string) => ({ type: "boolean", const: true, description }) as const;
const date = (description: string) =>
  ({ type: "string", format: "date", pattern: DATE, description }) as const;

const decimals = { exact: 6, paise: 2 } satisfies Record<Choice<"money.precision">, number>;

// Without assumptions: what some choice allows.
const anyText: JsonSchema = { type: "string" };
const surfaceStatus = {
  documented: text("`active` unless it was changed"),
  extended: {
    ...text("Only impressions on `active` surfaces earn revenue"),
    enum: surfaceStatuses,
  },
  any: anyText,
} satisfies Record<Choice<"surface.statuses"> | "any", JsonSchema>;
const anyPayoutStatus = { ...text("Payout status"), enum: payoutStatuses };
const payoutStatus = {
  documented: { ...text("Payout status"), const: "paid" },
  extended: anyPayoutStatus,
  "extended-without-txn": anyPayoutStatus,
  any: anyText,
} satisfies Record<Choice<"payout.statuses"> | "any", JsonSchema>;

interface SchemaOptions {
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
  const ofSurfaces = assumptions?.["surface.statuses"] ?? "any";
  const ofPayouts = assumptions?.["payout.statuses"] ?? "any";
  const mayLackTxn = ofPayouts === "extended-without-txn" || ofPayouts === "any";
  const txnLength = ofPayouts === "extended" || ofPayouts === "any" ? 0 : 1;
  const places = decimals[assumptions?.["money.precision"] ?? "exact"];
  const inr = (what: string): JsonSchema => ({
    type: "number",
    minimum: 0,
    description: `${what}, in INR with at most ${places} decimals`,
  });
  const record = (name: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => {
    const required = Object.keys(properties).filter(
      (member) => !(mayLackTxn && member === "txn_id"),
    );
    const extra = additionalProperties === undefined ? {} : { additionalProperties };
    return named(name, { type: "object", properties, required, ...extra });
  };
  const list = (description: string, ...of: Parameters<typeof record>): JsonSchema => ({
    type: "array",
    description,
    items: record(...of),
  });
  const bound = inr("Price of a thousand impressions");
  return {
    stats: record("Stats", {
      publisher_id: text("The publisher queried"),
      period: record("Period", {
        from: date("First day of the period"),
        to: date("Last day of the period"),
      }),
      impressions: count("Total impressions in the period"),
      clicks: count("Total clicks in the period"),
      revenue_inr: inr("Total revenue in the period"),
      surfaces: list("Figures by surface", "SurfaceStats", {
        id: text("Surface identifier"),
        impressions: count("Impressions of the surface in the period"),
        revenue: inr("Revenue of the surface in the period"),
      }),
    }),
    impression: record("ImpressionResult", {
      ok: ok("The impression was accepted"),
      impression_id: text("Identifier of the recorded impression; used to record a click"),
      revenue_credited_inr: inr("Revenue credited for this request"),
    }),
    click: record("ClickResult", {
      ok: ok("The click was accepted"),
      click_id: text("Identifier of the recorded click"),
      revenue_credited_inr: inr("Revenue credited for this request"),
    }),
    surfaces: record("Surfaces", {
      surfaces: list("All surfaces of the publisher", "Surface", {
        id: text("Surface identifier"),
        name: { type: "string", description: "Display name" },
        status: surfaceStatus[ofSurfaces],
        cpm_range: {
          type: "array",
          prefixItems: [bound, bound],
          // For tools that don't support prefixItems.
          items: bound,
          minItems: 2,
          maxItems: 2,
          description:
            "Prices in INR for a thousand impressions: the lower bound, then the upper one",
        },
      }),
    }),
    payouts: record("Payouts", {
      payouts: {
        ...list("Payouts of the publisher", "Payout", {
          id: text("Payout identifier"),
          date: date("Day of the payout"),
          amount_inr: inr("Amount of the payout"),
          upi_id: text("Payee payment address of the publisher"),
          status: payoutStatus[ofPayouts],
          txn_id: { ...text("Transaction reference of the payment"), minLength: txnLength },
        }),
        maxItems: operations.payouts.parameters.limit.maximum,
      },
      pending_inr: inr("Amount pending and not yet paid out"),
    }),
  };
}

/** The schemas of successes that allow whatever some choice of the assumptions allows. */
export const lenientSchemas = responseSchemas(undefined);

export function successTypeOf(assumptions: Assumptions): string {
  const isEvolved = assumptions["response.form"] === "evolved";
  return isEvolved ? "application/json; charset=utf-8" : "application/json";
}

/** The value of WWW-Authenticate under the assumptions; undefined if the header isn't sent. */
export function challengeOf(assumptions: Assumptions): string | undefined {
  return assumptions["auth.failure"] === "401" ? 'Bearer realm="adsim"' : undefined;
}

/** Says what its schema doesn't allow about a JSON body, and where; undefined if it fits. */
export function bodyMismatch(schema: JsonSchema, text: string): string | undefined {
  const value = jsonIn(text);
  if (value === undefined) return `the body isn't JSON: ${text.slice(0, 100)}`;
  return mismatch(schema, value, "body");
}

/**
 * Says what the spec doesn't allow about the body of a success; undefined if it allows all of it. Statistics are those of the
 * publisher queried (spec §2). `asked`: the parameters of the request.
 */
export function successMismatch(
  operation: OperationId,
  text: string,
  asked: { get(name: string): string | null | undefined },
): string | undefined {
  const found = bodyMismatch(lenientSchemas[operation], text);
  if (found !== undefined || operation !== "stats") return found;
  const { publisher_id } = JSON.parse(text);
  const queried = asked.get("publisher_id");
  return publisher_id === queried
    ? undefined
    : `body.publisher_id is ${shown(publisher_id)}, and the publisher queried is ${shown(queried)}`;
}

function mismatch(schema: JsonSchema, value: unknown, at: string): string | undefined {
  const isNot = (what: string): string => `${at} is ${shown(value)}, not ${what}`;
  const { type = "", minLength = 0, minimum = 0, format, enum: listed } = schema;
  if (!isA(type, value)) return isNot(type);
  if ("const" in schema && value !== schema.const) return isNot(shown(schema.const));
  if (listed?.includes(value) === false) return isNot(`one of ${shown(listed)}`);
  if (typeof value === "number" && value < minimum) return isNot(`at least ${minimum}`);
  if (typeof value === "string" && value.length < minLength) return `${at} is empty`;
  if (format === "date" && parseDay(String(value)) === undefined) return isNot("a date");
  return typeof value === "object" && value !== null ? misfitOfParts(schema, value, at) : undefined;
}

/** The same for the members of an object or the items of a list. */
function misfitOfParts(schema: JsonSchema, value: object, at: string): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  const parts = Object.entries(value);
  const isCounted = parts.length >= minItems && parts.length <= maxItems;
  if (!isCounted) return `${at} has ${parts.length} items, not ${minItems} to ${maxItems}`;
  for (const [name, part] of parts) {
    const own = items ?? (Object.hasOwn(properties, name) ? properties[name] : undefined);
    if (own === undefined && additionalProperties === false)
      return `${at}.${name} is not documented`;
    const found = own && mismatch(own, part, `${at}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isA(type: string, value: unknown): boolean {
  if (type === "object") return isPlainObject(value);
  if (type === "array") return Array.isArray(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}
