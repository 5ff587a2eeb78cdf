/** Decides which publisher a request is about (spec §5.4), and whose recording limit it counts against (spec §8). */

import { type OperationId, operations, type Subject } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import { surfaceIndexOf } from "../world/ledger/book.ts";
import { type Refusal, refused } from "./operations/outcome.ts";
import type { ParameterSource } from "./parameters.ts";
import type { Reader } from "./read.ts";
import type { World } from "./world.ts";

export type Scope = ReturnType<typeof createScope>;

export function createScope({ accounts, ids, assumptions }: World, read: Reader) {
  const choice = assumptions["auth.key-scope"];

  /** The publisher of an impression within the key's scope: requests must not depend on what others recorded. */
  function ownerOf(impressionId: string, caller: Account): Account | undefined {
    const impression = ids.impression.decode(impressionId);
    // An account that was never opened has no impressions.
    const owner = impression && accounts.peek(impression.publisher);
    const isReached = choice === "any" || owner?.ordinal === caller.ordinal;
    return owner && isReached && impression.serial < owner.book.count ? owner : undefined;
  }

  /** The account that a request is about, or a refusal if it is out of the key's scope. */
  function accountOf({ kind, id }: Subject, caller: Account): Account | Refusal {
    if (kind === "impression") return ownerOf(id, caller) ?? caller;
    if (id === caller.id) return caller;
    const ordinal = accounts.ordinalOf(id);
    // The same bytes for existing and unknown publishers.
    if (ordinal === undefined || choice === "publisher-hidden") return nonexistent;
    return choice === "publisher" ? foreign : (accounts.open(ordinal) ?? nonexistent);
  }

  return {
    accountOf,
    /** The account whose limit counts a request. */
    quotaAccountOf(operation: OperationId, request: ParameterSource, caller: Account): Account {
      if (choice !== "any" || operations[operation].limit === "reporting") return caller;
      // The limit comes before the parameters, which name the publisher that it counts: read them here as well.
      const input = read(operation, request);
      const account = input.kind === "valid" ? accountOf(input.subject, caller) : caller;
      return "kind" in account ? caller : account;
    },
    /** Id of an impression's surface; undefined if the impression is unknown or out of the key's scope. */
    surfaceOf(impressionId: string, caller: Account): string | undefined {
      const owner = ownerOf(impressionId, caller);
      const serial = ids.impression.decode(impressionId)?.serial ?? 0;
      return owner?.surfaces[surfaceIndexOf(owner.book, serial)]?.id;
    },
  };
}

const nonexistent = refused(
  "publisher_not_found",
  "publisher_id is not the identifier of a publisher.",
  "publisher_id",
);

const foreign = refused(
  "foreign_publisher",
  "publisher_id is another publisher's. The API key works only for its own publisher.",
  "publisher_id",
);
