/** Inspects a request for the fault rules before the service does anything. */

import { type ArrivedRequest, UNAUTHENTICATED_CALLER } from "../faults/rules.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Authorizer } from "./authorize.ts";
import type { InputReader } from "./read-input.ts";
import type { RequestContext } from "./request-context.ts";
import { type Route, route } from "./route.ts";

/** What is known about a request without changing any state. */
export interface Inspection {
  /** The request for the rules. */
  readonly arrived: ArrivedRequest;
  /** The account that counts a request that the service never sees. Calling it may open the account. */
  countedAccount(): Account | undefined;
}

export interface InspectorParts {
  readonly accounts: Accounts;
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly readers: Readonly<Record<OperationId, InputReader>>;
}

export function createInspector(parts: InspectorParts): (context: RequestContext) => Inspection {
  const { accounts, authenticate, authorize, readers } = parts;

  /** Differs from the caller's account only if keys work for all publishers. */
  function quotaAccountFor(context: RequestContext, routed: Route, keyOwner: Account): Account {
    if (routed.kind !== "operation" || routed.operation.limit !== "recording") return keyOwner;
    const caller = accounts.open(keyOwner.ordinal) ?? keyOwner;
    return authorize.quotaAccountOf(routed.operation, context, caller);
  }

  function surfaceOf(
    context: RequestContext,
    operation: OperationId | undefined,
    caller: Account | undefined,
  ): string | undefined {
    const read = operation && readers[operation](context);
    if (read?.kind !== "valid") return undefined;
    const { subject } = read;
    return subject.kind === "impression"
      ? authorize.surfaceOf(subject.id, caller)
      : subject.surface;
  }

  return (context) => {
    const { nowMs, method, path, query, headers, body } = context;
    const routed = route(method, path);
    const operation = routed.kind === "operation" ? routed.operation.id : undefined;
    const caller = authenticate.peek(headers);
    // Read from the body once, when the first rule asks for it.
    let named: { readonly surface: string | undefined } | undefined;
    return {
      arrived: {
        nowMs,
        method,
        path,
        query,
        headers,
        body,
        operation,
        publisher: caller?.id,
        caller: caller?.ordinal ?? UNAUTHENTICATED_CALLER,
        get surface() {
          named ??= { surface: surfaceOf(context, operation, caller) };
          return named.surface;
        },
      },
      countedAccount: () => caller && quotaAccountFor(context, routed, caller),
    };
  };
}
