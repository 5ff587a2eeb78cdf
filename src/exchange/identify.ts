/** Finds out what a request asks for and whose key it carries (spec §5): route, then authenticate. Changes nothing. */

import type { OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import { headerOf } from "./headers.ts";
import { type Refusal, refused } from "./operations/outcome.ts";
import type { PlainRequest } from "./plain-request.ts";
import { type Route, route } from "./route.ts";

/** What a request asks for, and whose key it carries. */
export type Identity =
  | {
      readonly operation: OperationId;
      /** The publisher whose valid key was sent. */
      readonly sender: Account;
      readonly refusal: undefined;
    }
  | {
      /** The operation that it asked for, if only the key was wrong. */
      readonly operation: OperationId | undefined;
      readonly sender: Account | undefined;
      /** Why the request reaches no operation. */
      readonly refusal: Exclude<Route, { kind: "operation" }>;
    };

export function createIdentify(accounts: Accounts): (request: PlainRequest) => Identity {
  return ({ flaw, method, path, headers }) => {
    if (flaw !== undefined) {
      const refusal = refused("malformed_request", `The request can't be read: ${flaw}.`);
      return { operation: undefined, sender: undefined, refusal };
    }
    const sender = authenticate(headers, accounts);
    const routed = route(method, path);
    if (routed.kind === "refused") {
      const account = sender.kind === "refused" ? undefined : sender.account;
      return { operation: undefined, sender: account, refusal: routed };
    }
    const operation = routed.operation.id;
    return sender.kind === "refused"
      ? { operation, sender: undefined, refusal: sender }
      : { operation, sender: sender.account, refusal: undefined };
  };
}

/** The scheme's name may be in any case (RFC 9110 §11.1). */
const bearer = /^bearer +(\S+)$/i;

function authenticate(
  headers: PlainRequest["headers"],
  accounts: Accounts,
): { readonly kind: "sender"; readonly account: Account } | Refusal {
  const header = headerOf(headers, "authorization");
  if (header === undefined) {
    const detail = "Send the API key of a publisher as a header: Authorization: Bearer <API_KEY>.";
    return refused("unauthorized", detail);
  }
  const apiKey = bearer.exec(header.trim())?.[1];
  if (apiKey === undefined) {
    const detail = "The Authorization header must be the word Bearer, a space and an API key.";
    return refused("unauthorized", detail);
  }
  const account = accounts.peekByKey(apiKey);
  if (account !== undefined) return { kind: "sender", account };
  return refused("unauthorized", "The API key is unknown, or was replaced by a new one.");
}
