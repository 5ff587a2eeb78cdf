/** Whether the publisher that a request names is the caller (spec §5.4). */

import type { Account } from "../accounts/account.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import type { Input, OperationId } from "../contract/operations.ts";
import { type Refused, refused, type ShapedBy } from "./outcome.ts";

/** Refuses an input that names another publisher than the caller. */
export type Authorizer = (input: Input<OperationId>, caller: Account) => Refused | undefined;

// The same for both: an answer that masks a publisher must not tell by its provenance.
const shapedBy: ShapedBy = ["auth.key-scope", "auth.foreign-publisher"];

const nonexistent = refused(
  {
    code: "publisher_not_found",
    detail: "publisher_id is not the identifier of a publisher.",
    parameter: "publisher_id",
  },
  ...shapedBy,
);

const foreign = {
  "403": refused(
    {
      code: "foreign_publisher",
      detail:
        "publisher_id is another publisher's: the API key serves the publisher it was given to.",
      parameter: "publisher_id",
    },
    ...shapedBy,
  ),
  "404": nonexistent,
} satisfies Record<Choice<"auth.foreign-publisher">, Refused>;

export function createAuthorizer(assumptions: Assumptions, accounts: Accounts): Authorizer {
  const foreignRefusal = foreign[assumptions["auth.foreign-publisher"]];
  return (input, caller) => {
    // A click names no publisher but an impression, and that is looked for among the caller's own.
    const { publisher_id: named } = input as Partial<Input<"surfaces">>;
    if (named === undefined || named === caller.id) return undefined;
    return accounts.ordinalOf(named) === undefined ? nonexistent : foreignRefusal;
  };
}
