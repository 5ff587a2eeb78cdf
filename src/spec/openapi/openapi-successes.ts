/** The schemas of success bodies under the assumptions. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import type { OperationId } from "../operations.ts";
import {
  type JsonSchema,
  payoutStatuses,
  type ResponseChoices,
  responseSchemas,
  surfaceStatuses,
} from "../responses.ts";

/** Strict schemas: they reject undocumented fields, unless `response.form` allows them. */
export function successSchemas(
  assumptions: Assumptions,
): Readonly<Record<OperationId, JsonSchema>> {
  const additionalProperties = allowsExtra[assumptions["response.form"]];
  return responseSchemas({ ...choicesFor(assumptions), additionalProperties });
}

/**
 * Open schemas for the OpenAPI document: clients should expect fields that are added later. `named` is the one of
 * {@link ResponseChoices}.
 */
export function documentedSchemas(
  assumptions: Assumptions,
  named: NonNullable<ResponseChoices["named"]>,
): Readonly<Record<OperationId, JsonSchema>> {
  const extra = announcesExtra[assumptions["response.form"]];
  return responseSchemas({ ...choicesFor(assumptions), ...extra, named });
}

function choicesFor(assumptions: Assumptions): Omit<ResponseChoices, "additionalProperties"> {
  return {
    decimals: decimals[assumptions["money.precision"]],
    surfaceStatus: surfaceStatus[assumptions["surface.statuses"]],
    payoutStatus: payoutStatus[assumptions["payout.statuses"]],
    payoutReference: payoutReference[assumptions["payout.statuses"]],
    hasPayoutReference: assumptions["payout.statuses"] !== "extended-without-txn",
  };
}

const allowsExtra = { documented: false, evolved: true } satisfies Record<
  Choice<"response.form">,
  boolean
>;

/** Some tools reject undocumented fields unless the document allows them explicitly. */
const announcesExtra = { documented: {}, evolved: { additionalProperties: true } } satisfies Record<
  Choice<"response.form">,
  Pick<ResponseChoices, "additionalProperties">
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

const anyStatus = { type: "string", enum: payoutStatuses, description: "Payout status" };
const payoutStatus = {
  documented: { type: "string", const: "paid", description: "Payout status" },
  extended: anyStatus,
  "extended-without-txn": anyStatus,
} satisfies Record<Choice<"payout.statuses">, JsonSchema>;

/** Changes the schema of txn_id, which is otherwise a non-empty string. */
const payoutReference = {
  documented: {},
  extended: { minLength: 0 },
  "extended-without-txn": {},
} satisfies Record<Choice<"payout.statuses">, JsonSchema>;
