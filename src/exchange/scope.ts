/** Decides which publisher a request is about (spec §5.4), and whose recording limit it counts against (spec §8). */

import type { IdParts } from "../base/id-codec.ts";
import { type OperationId, operations, type Subject } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import { surfaceIndexOf } from "../world/ledger/book.ts";
import { type Refusal, refused } from "./operations/outcome.ts";
import type { ParameterSource } from "./parameters.ts";
import type { Reader } from "./read.ts";
import type { World } from "./world.ts";

export interface Scope {
  /** The account that a request is about, or a refusal if it is out of the key's scope. */
  accountOf(subject: Subject, caller: Account): Account | Refusal;
  /** The account whose limit counts a request. */
  quotaAccountOf(operation: OperationId, request: ParameterSource, caller: Account): Account;
  /** Id of an impression's surface; undefined if the impression is unknown or out of the key's scope. */
  surfaceOf(impressionId: string, caller: Account): string | undefined;
}

export function createScope(world: World, read: Reader): Scope {
  const { accounts, ids, assumptions } = world;
  const choice = assumptions["auth.key-scope"];

  /** The account of an impression; undefined if the impression doesn't exist. */
  function ownerOf(impression: IdParts | undefined): Account | undefined {
    // An account that was never opened has no impressions.
    const account = impression && accounts.peek(impression.publisher);
    const exists = account && impression.serial < account.book.count;
    return exists ? account : undefined;
  }

  function accountOf({ kind, id }: Subject, caller: Account): Account | Refusal {
    if (kind === "impression") {
      // Unless a key works for all publishers, the click looks for it among the caller's own.
      return choice === "any" ? (ownerOf(ids.impression.decode(id)) ?? caller) : caller;
    }
    if (id === caller.id) return caller;
    const ordinal = accounts.ordinalOf(id);
    // The same bytes for existing and unknown publishers.
    if (ordinal === undefined || choice === "publisher-hidden") return nonexistent;
    return choice === "publisher" ? foreign : (accounts.open(ordinal) ?? nonexistent);
  }

  return {
    accountOf,
    quotaAccountOf(operation, request, caller) {
      if (choice !== "any" || operations[operation].limit === "reporting") return caller;
      // The limit comes before the parameters, which name the publisher that it counts: read them here as well.
      const input = read(operation, request);
      const account = input.kind === "valid" ? accountOf(input.subject, caller) : caller;
      return "kind" in account ? caller : account;
    },
    surfaceOf(impressionId, caller) {
      const impression = ids.impression.decode(impressionId);
      const owner = ownerOf(impression);
      if (impression === undefined || owner === undefined) return undefined;
      // A publisher's requests must not depend on what other publishers recorded.
      if (choice !== "any" && owner.ordinal !== caller.ordinal) return undefined;
      return owner.surfaces[surfaceIndexOf(owner.book, impression.serial)]?.id;
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
