/** Decides which publisher a request is about (spec §5.4), and whose recording limit it counts against (spec §8). */

import type { IdParts } from "../base/id-codec.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { Operation, OperationId, Subject } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import { surfaceIndexOf } from "../world/ledger/book.ts";
import { type Refusal, refused, type ShapedBy } from "./operations/outcome.ts";
import type { ParameterSource } from "./parameters.ts";
import type { InputReader } from "./read-input.ts";
import type { World } from "./world.ts";

/** Finds the accounts that a request concerns. Usually they are the caller's own. */
export interface Authorizer {
  /** The account whose quota a request counts against. */
  quotaAccountOf(operation: Operation, request: ParameterSource, caller: Account): Account;
  /** The account that a request is about, or a refusal if it is out of the key's scope. */
  accountOf(subject: Subject, caller: Account): Account | Refusal;
  /** Id of an impression's surface; undefined if the impression is unknown or out of the key's scope. */
  surfaceOf(impressionId: string, caller: Account | undefined): string | undefined;
}

type Scope = (
  world: World,
  readers: Readonly<Record<OperationId, InputReader>>,
) => Pick<Authorizer, "quotaAccountOf" | "accountOf">;

export function createAuthorizer(...parts: Parameters<Scope>): Authorizer {
  const [{ assumptions, accounts, ids }] = parts;
  return {
    ...scopes[assumptions["auth.key-scope"]](...parts),
    surfaceOf(impressionId, caller) {
      const impression = ids.impression.decode(impressionId);
      const owner = ownerOf(accounts, impression);
      if (impression === undefined || owner === undefined || caller === undefined) return undefined;
      // A publisher's requests must not depend on what other publishers recorded.
      if (assumptions["auth.key-scope"] !== "any" && owner !== caller) return undefined;
      return owner.surfaces[surfaceIndexOf(owner.book, impression.serial)]?.id;
    },
  };
}

/** Shapes an answer about another publisher than the caller. */
export const shapedByScope: ShapedBy = ["auth.key-scope"];

const nonexistent = refused(
  {
    code: "publisher_not_found",
    detail: "publisher_id is not the identifier of a publisher.",
    parameter: "publisher_id",
  },
  ...shapedByScope,
);
const nonexistentForAll = refused(nonexistent.rejection);

const foreign = refused(
  {
    code: "foreign_publisher",
    detail: "publisher_id is another publisher's. The API key works only for its own publisher.",
    parameter: "publisher_id",
  },
  ...shapedByScope,
);

/** Each key is its publisher's own. */
function ownOnly(foreignRefusal: Refusal): Scope {
  return ({ accounts }) => ({
    quotaAccountOf: (_operation, _request, caller) => caller,
    accountOf({ kind, id }, caller) {
      // The operation looks for an impression among the caller's own.
      if (kind === "impression" || id === caller.id) return caller;
      return accounts.ordinalOf(id) === undefined ? nonexistent : foreignRefusal;
    },
  });
}

const scopes: Readonly<Record<Choice<"auth.key-scope">, Scope>> = {
  publisher: ownOnly(foreign),
  // The same bytes for existing and unknown publishers.
  "publisher-hidden": ownOnly(nonexistent),
  any: ({ accounts, ids }, readers) => {
    function accountOf({ kind, id }: Subject, caller: Account): Account | Refusal {
      if (kind === "impression") return ownerOf(accounts, ids.impression.decode(id)) ?? caller;
      if (id === caller.id) return caller;
      const ordinal = accounts.ordinalOf(id);
      return (ordinal === undefined ? undefined : accounts.open(ordinal)) ?? nonexistentForAll;
    }
    return {
      accountOf,
      // The limit is checked before the parameters are read, so read them here as well. The reader has no effects.
      quotaAccountOf(operation, request, caller) {
        if (operation.limit === "reporting") return caller;
        const read = readers[operation.id](request);
        const quotaAccount = read.kind === "valid" ? accountOf(read.subject, caller) : caller;
        return "kind" in quotaAccount ? caller : quotaAccount;
      },
    };
  },
};

/** The account of an impression; undefined if the impression doesn't exist. */
function ownerOf(accounts: Accounts, impression: IdParts | undefined): Account | undefined {
  if (impression === undefined) return undefined;
  // Peeks, because an account that was never opened has no impressions.
  const account = accounts.peek(impression.publisher);
  return account !== undefined && impression.serial < account.book.count ? account : undefined;
}
