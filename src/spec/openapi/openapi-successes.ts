/** The contract's schemas of success bodies under the assumptions in force. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import type { OperationId } from "../operations.ts";
import {
  type JsonSchema,
  payoutStatuses,
  type ResponseReadings,
  responseSchemas,
  surfaceStatuses,
} from "../responses.ts";

/** Closed: a field that isn't documented doesn't fit, unless such fields are the reading in force. */
export function successSchemas(
  assumptions: Assumptions,
): Readonly<Record<OperationId, JsonSchema>> {
  const additionalProperties = allowsExtra[assumptions["response.extra-fields"]];
  return responseSchemas({ ...readingsOf(assumptions), additionalProperties });
}

/**
 * The same for the API's document. Open: clients should expect fields that come later. `named`: as
 * {@link ResponseReadings} has it.
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

/** Some tools take an answer for wrong that has fields which the document neither has nor expects. */
const announcesExtra = { none: {}, present: { additionalProperties: true } } satisfies Record<
  Choice<"response.extra-fields">,
  Pick<ResponseReadings, "additionalProperties">
>;

const decimals = { exact: 6, paise: 2 } satisfies Record<Choice<"money.precision">, number>;

const surfaceStatus = {
  documented: { type: "string", minLength: 1, description: "`active`, until someone changes it" },
  extended: {
    type: "string",
    enum: surfaceStatuses,
    description: "Impressions are credited on `active` ones",
  },
} satisfies Record<Choice<"surface.statuses">, JsonSchema>;

const payoutStatus = {
  documented: { type: "string", const: "paid", description: "Payout status" },
  extended: { type: "string", enum: payoutStatuses, description: "Payout status" },
} satisfies Record<Choice<"payout.statuses">, JsonSchema>;

/** What txn_id may be beside a text that isn't empty. */
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
