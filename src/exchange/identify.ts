/**
 * Finds out what a request asks for and whose key it carries (spec §5): route, then authenticate. Changes nothing. Paths are
 * compared as sent, without decoding or normalising.
 */

import { methodsOf, type Operation, type OperationId, operations } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import { type Refusal, refused } from "./operations/outcome.ts";
import { headerOf, type PlainRequest } from "./plain-request.ts";

/** What a request asks for, and the publisher whose valid key was sent. */
export type Identity =
  | { readonly operation: OperationId; readonly sender: Account; readonly refusal: undefined }
  | {
      /** The operation that it asked for, if only the key was wrong. */
      readonly operation: OperationId | undefined;
      readonly sender: Account | undefined;
      /** Why the request reaches no operation. */
      readonly refusal: Refusal;
    };

/** The scheme's name may be in any case (RFC 9110 §11.1). */
const bearer = /^bearer +(\S+)$/i;

export function createIdentify(accounts: Accounts): (request: PlainRequest) => Identity {
  /** By the Authorization header: most come again and again. */
  const known = new Map<string, Account>();

  function senderOf(authorization: string): Account | undefined {
    const before = known.get(authorization);
    // The key may have been replaced since.
    if (before !== undefined && authorization.endsWith(before.apiKey)) return before;
    const apiKey = bearer.exec(authorization.trim())?.[1] ?? "";
    const sender = accounts.peekByKey(apiKey);
    // Only an opened account stays the same object, whatever becomes of its key.
    if (sender && accounts.peek(sender.ordinal) === sender) known.set(authorization, sender);
    return sender;
  }

  return ({ flaw, method, path, headers }) => {
    if (flaw !== undefined) {
      const refusal = refused("malformed_request", `The request can't be read: ${flaw}.`);
      return { operation: undefined, sender: undefined, refusal };
    }
    const routed = route(method, path);
    const authorization = headerOf(headers, "authorization") ?? "";
    const sender = senderOf(authorization);
    if (typeof routed !== "string") return { operation: undefined, sender, refusal: routed };
    if (sender !== undefined) return { operation: routed, sender, refusal: undefined };
    const refusal = bearer.test(authorization.trim()) ? wrongKey : noKey;
    return { operation: routed, sender, refusal };
  };
}

const noKey = refused(
  "unauthorized",
  "Send the API key of a publisher as a header: Authorization: Bearer <API_KEY>.",
);
const wrongKey = refused("unauthorized", "The API key is unknown, or was replaced by a new one.");

const all = Object.values<Operation>(operations);
const existing = all.map(({ method, path }) => `${method} ${path}`).join(", ");

function route(method: string, path: string): OperationId | Refusal {
  const operation = all.find((each) => each.path === path);
  if (operation === undefined) {
    return refused(
      "route_not_found",
      `No operation answers at this path. The operations are: ${existing}. Paths are compared exactly.`,
    );
  }
  const methods = methodsOf(operation);
  if (methods.includes(method)) return operation.id;
  const detail = `${path} supports only ${methods.join(" and ")}.`;
  return { ...refused("method_not_allowed", detail), methods };
}
