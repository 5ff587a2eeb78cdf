/** The success bodies of the API's document: the contract's schemas under the assumptions in force. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import type { OperationId } from "../contract/operations.ts";
import { type JsonSchema, responseSchemas } from "../contract/responses.ts";
import { payoutStatuses } from "../ledger/payout-courses.ts";
import { surfaceStatuses } from "../publishers/seeded-publisher.ts";

export function successSchemas(
  assumptions: Assumptions,
): Readonly<Record<OperationId, JsonSchema>> {
  return responseSchemas({
    additionalProperties: allowsExtra[assumptions["response.extra-fields"]],
    decimals: decimals[assumptions["money.precision"]],
    surfaceStatus: surfaceStatus[assumptions["surface.statuses"]],
    payoutStatus: payoutStatus[assumptions["payout.statuses"]],
    payoutReference: payoutReference(assumptions),
    hasPayoutReference: hasReference[assumptions["payout.txn-id"]],
  });
}

const allowsExtra = { none: false, present: true } satisfies Record<
  Choice<"response.extra-fields">,
  boolean
>;

const decimals = { exact: 6, paise: 2 } satisfies Record<Choice<"money.precision">, number>;

const surfaceStatus = {
  documented: { type: "string", minLength: 1, description: "`active`, until someone changes it" },
  extended: { enum: surfaceStatuses, description: "Impressions are credited on `active` ones" },
} satisfies Record<Choice<"surface.statuses">, JsonSchema>;

const payoutStatus = {
  documented: { const: "paid" },
  extended: { enum: payoutStatuses },
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
