/** The schemas of success bodies under the assumptions. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import type { OperationId } from "../operations.ts";
import {
  type JsonSchema,
  payoutStatuses,
  type ResponseReadings,
  responseSchemas,
  surfaceStatuses,
} from "../responses.ts";

/** Strict schemas: they reject undocumented fields, unless `response.extra-fields` allows them. */
export function successSchemas(
  assumptions: Assumptions,
): Readonly<Record<OperationId, JsonSchema>> {
  const additionalProperties = allowsExtra[assumptions["response.extra-fields"]];
  return responseSchemas({ ...readingsOf(assumptions), additionalProperties });
}

/**
 * Open schemas for the OpenAPI document: clients should expect fields that are added later. `named` is the one of
 * {@link ResponseReadings}.
 */
export function documentedSchemas(
  assumptions: Assumptions,
  named: NonNullable<ResponseReadings["named"]>,
): Readonly<Record<OperationId, JsonSchema>> {
  const extra = announcesExtra[assumptions["response.extra-fields"]];
  return responseSchemas({ ...readingsOf(assumptions), ...extra, named });
}

function readingsOf(assumptions: Assumptions): Omit<ResponseReadings, "additionalProperties"> {
  return {
    decimals: decimals[assumptions["money.precision"]],
    surfaceStatus: surfaceStatus[assumptions["surface.statuses"]],
    payoutStatus: payoutStatus[assumptions["payout.statuses"]],
    payoutReference: payoutReference(assumptions),
    hasPayoutReference: hasReference[assumptions["payout.txn-id"]],
  };
}

const allowsExtra = { none: false, present: true } satisfies Record<
  Choice<"response.extra-fields">,
  boolean
>;

/** Some tools reject undocumented fields unless the document allows them explicitly. */
const announcesExtra = { none: {}, present: { additionalProperties: true } } satisfies Record<
  Choice<"response.extra-fields">,
  Pick<ResponseReadings, "additionalProperties">
>;

const decimals = { exact: 6, paise: 2 } satisfies Record<Choice<"money.precision">, number>;

const surfaceStatus = {
  documented: { type: "string", minLength: 1, description: "`active` unless it was changed" },
  extended: {
    type: "string",
    enum: surfaceStatuses,
    description: "Only impressions on `active` surfaces earn revenue",
  },
} satisfies Record<Choice<"surface.statuses">, JsonSchema>;

const payoutStatus = {
  documented: { type: "string", const: "paid", description: "Payout status" },
  extended: { type: "string", enum: payoutStatuses, description: "Payout status" },
} satisfies Record<Choice<"payout.statuses">, JsonSchema>;

/** Changes the schema of txn_id, which is otherwise a non-empty string. */
function payoutReference(assumptions: Assumptions): JsonSchema {
  const ofUnpaid = {
    empty: { minLength: 0 },
    null: { type: ["string", "null"] },
    absent: {},
  } satisfies Record<Choice<"payout.txn-id">, JsonSchema>;
  const ofListed = {
    documented: {},
    extended: ofUnpaid[assumptions["payout.txn-id"]],
  } satisfies Record<Choice<"payout.statuses">, JsonSchema>;
  return ofListed[assumptions["payout.statuses"]];
}

const hasReference = { empty: true, null: true, absent: false } satisfies Record<
  Choice<"payout.txn-id">,
  boolean
>;
