/**
 * Finds out what a request asks for, whose key it carries and whose limit it counts against: route, then authenticate
 * (spec §5). Spends no quota and records nothing. There are two readers with the same results: the quick one recognises
 * impressions in the form that nearly every client sends; the full one reads all other requests.
 */

import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { ApiRequest } from "../spec/messages.ts";
import { type OperationId, operations } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Authorizer } from "./authorize.ts";
import type { Members, RecognisedImpression } from "./body-templates.ts";
import { refused } from "./operations/outcome.ts";
import { authorizationIfPlainJson, isShortText, readsJson } from "./plain-json.ts";
import type { RequestContext } from "./request-context.ts";
import { type Route, route } from "./route.ts";

/** A request for an operation, by a caller whose key is valid. */
export interface Identified {
  readonly kind: "identified";
  readonly operation: OperationId;
  /** Whose key was sent. */
  readonly caller: Account;
  /** Whose limit it counts against. Differs from the caller only if keys work for all publishers. */
  readonly quotaAccount: Account;
  /** The impression, if the quick reader recognised it. Otherwise the parameters are read after the limit admits it. */
  readonly recognised: RecognisedImpression | undefined;
  readonly isHead: boolean;
}

/** A request that reaches no operation. */
export interface Unidentified {
  readonly kind: "unidentified";
  /** The operation that it asked for, if only the key was wrong. */
  readonly operation: OperationId | undefined;
  /** Whose key was sent, if the request names no operation. */
  readonly sender: Account | undefined;
  readonly why: Exclude<Route, { kind: "operation" }>;
  readonly isHead: boolean;
}

export type Identify = (context: RequestContext) => Identified | Unidentified;

export interface IdentifyParts {
  readonly assumptions: Assumptions;
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
}

export function createIdentify(parts: IdentifyParts): Identify {
  const recognise = createRecogniser(parts);
  const readInFull = createFullReader(parts);
  return (context) => {
    const recognised = recognise(context.request);
    if (recognised === undefined) return readInFull(context);
    const { account } = recognised;
    return {
      kind: "identified",
      operation: "impression",
      caller: account,
      quotaAccount: account,
      recognised,
      isHead: false,
    };
  };
}

function createFullReader({ authenticate, authorize }: IdentifyParts): Identify {
  return (context) => {
    const { flaw, method, path, headers } = context;
    const isHead = method === "HEAD";
    const turnedAway = (
      why: Unidentified["why"],
      operation?: OperationId,
      sender?: Account,
    ): Unidentified => ({ kind: "unidentified", operation, sender, why, isHead });

    if (flaw !== undefined) {
      return turnedAway(
        refused({ code: "malformed_request", detail: `The request can't be read: ${flaw}.` }),
      );
    }
    const routed = route(method, path);
    // With a valid key the answer has the key's remaining quota.
    if (routed.kind !== "operation")
      return turnedAway(routed, undefined, authenticate.peek(headers));

    const { operation } = routed;
    const caller = authenticate.callerOf(headers);
    if (caller.kind === "refused") return turnedAway(caller, operation.id);
    const { account } = caller;
    return {
      kind: "identified",
      operation: operation.id,
      caller: account,
      quotaAccount: authorize.quotaAccountOf(operation, context, account),
      recognised: undefined,
      isHead,
    };
  };
}

/** The quick reader. */
function createRecogniser({
  assumptions,
  authenticate,
}: IdentifyParts): (request: ApiRequest) => RecognisedImpression | undefined {
  const { method, path } = operations.impression;
  if (!readsJson[assumptions["request.encoding"]]) return () => undefined;
  return (request) => {
    try {
      if (request.path !== path || request.method !== method) return undefined;
      const { body } = request;
      const header = authorizationIfPlainJson(request);
      if (isShortText(body)) return authenticate.templatesFor(header)?.read(body);
      // Looked up by publisher id, usually the same string object each time; the header may be a new string.
      return isObject(body)
        ? authenticate.templatesOf(body.publisher_id, header)?.readMembers(body)
        : undefined;
    } catch {
      // A request that is null, or throws when it is read, is left to the full reader, which refuses it.
      return undefined;
    }
  };
}

/** Whether the body is an object, which is sent as JSON. */
function isObject(body: ApiRequest["body"]): body is Members {
  return typeof body === "object" && !(body instanceof Uint8Array);
}
