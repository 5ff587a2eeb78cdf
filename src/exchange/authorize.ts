/** Which publisher a request works on (spec §5.4), and so whose recording limit it counts against (spec §8). */

import type { Account } from "../accounts/account.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { Choice } from "../assumptions/catalogue.ts";
import type { Input, Operation, OperationId } from "../contract/operations.ts";
import { type Refused, refused, type ShapedBy } from "./outcome.ts";
import type { ParsedTarget } from "./parameters.ts";
import type { InputReader } from "./read-input.ts";
import type { World } from "./world.ts";

/** The accounts that a request of a caller concerns. Mostly all are the caller's own. */
export interface Authorizer {
  /** The account whose quota a request counts against. */
  payerOf(operation: Operation, request: ParsedTarget, caller: Account): Account;
  /** The account that an operation works on, or why the caller's key doesn't serve it. */
  subjectOf(input: Input<OperationId>, caller: Account): Account | Refused;
  /** Id of the surface that an impression was on; undefined where the caller's key serves no such impression. */
  surfaceOf(impressionId: string, caller: Account | undefined): string | undefined;
}

type Scope = (
  world: World,
  readers: Readonly<Record<OperationId, InputReader>>,
) => Pick<Authorizer, "payerOf" | "subjectOf">;

export function createAuthorizer(...parts: Parameters<Scope>): Authorizer {
  const [{ assumptions, accounts, ids }] = parts;
  return {
    ...scopes[assumptions["auth.key-scope"]](...parts),
    surfaceOf(impressionId, caller) {
      const impression = ids.impression.decode(impressionId);
      const owner = ownerOf(accounts, impression);
      if (impression === undefined || owner === undefined || caller === undefined) return undefined;
      // What other publishers recorded is nothing that this one's requests may depend on.
      if (assumptions["auth.key-scope"] === "publisher" && owner !== caller) return undefined;
      return owner.surfaces[owner.book.impressions.surfaceIndex(impression.serial)]?.id;
    },
  };
}

/** What shapes an answer that works on another publisher than the caller. */
export const shapedByScope: ShapedBy = ["auth.key-scope"];

// The same for both: an answer that masks a publisher must not tell by its provenance.
const shapedByMask: ShapedBy = [...shapedByScope, "auth.foreign-publisher"];

const nonexistent = refused(
  {
    code: "publisher_not_found",
    detail: "publisher_id is not the identifier of a publisher.",
    parameter: "publisher_id",
  },
  ...shapedByMask,
);
const nonexistentForAll = refused(nonexistent.rejection);

const foreign = {
  "403": refused(
    {
      code: "foreign_publisher",
      detail:
        "publisher_id is another publisher's: the API key serves the publisher it was given to.",
      parameter: "publisher_id",
    },
    ...shapedByMask,
  ),
  "404": nonexistent,
} satisfies Record<Choice<"auth.foreign-publisher">, Refused>;

const scopes: Readonly<Record<Choice<"auth.key-scope">, Scope>> = {
  publisher: ({ assumptions, accounts }) => {
    const foreignRefusal = foreign[assumptions["auth.foreign-publisher"]];
    return {
      payerOf: (_operation, _request, caller) => caller,
      subjectOf(input, caller) {
        // A click names no publisher but an impression, and that is looked for among the caller's own.
        const { publisher_id: named } = input as Partial<Input<"surfaces">>;
        if (named === undefined || named === caller.id) return caller;
        return accounts.ordinalOf(named) === undefined ? nonexistent : foreignRefusal;
      },
    };
  },
  any: ({ accounts, ids }, readers) => {
    function subjectOf(input: Input<OperationId>, caller: Account): Account | Refused {
      const { publisher_id: named, impression_id: clicked } = input as Partial<
        Input<"surfaces"> & Input<"click">
      >;
      if (clicked !== undefined) return ownerOf(accounts, ids.impression.decode(clicked)) ?? caller;
      if (named === undefined || named === caller.id) return caller;
      const ordinal = accounts.ordinalOf(named);
      return (ordinal === undefined ? undefined : accounts.open(ordinal)) ?? nonexistentForAll;
    }
    return {
      subjectOf,
      // The limit comes first, so what the request names is looked up ahead. The reader has no effects.
      payerOf(operation, request, caller) {
        if (operation.limit === "reporting") return caller;
        const read = readers[operation.id](request);
        const subject = read.kind === "valid" ? subjectOf(read.input, caller) : caller;
        return "kind" in subject ? caller : subject;
      },
    };
  },
};

/** The account that an impression was recorded for; undefined where there is no such impression. */
function ownerOf(
  accounts: Accounts,
  impression: { readonly publisher: number; readonly serial: number } | undefined,
): Account | undefined {
  if (impression === undefined) return undefined;
  // To look at only: an account that nobody opened has no impressions.
  const account = accounts.peek(impression.publisher);
  return account !== undefined && impression.serial < account.book.impressions.count
    ? account
    : undefined;
}
