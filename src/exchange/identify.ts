/**
 * What a request asks for, whose key it carries and whose limit it counts against: route, then authenticate (spec §5). It
 * changes no state. Two readers say the same: the usual one recognises an impression as nearly every client sends it, from
 * the request as it came; the full one takes whatever else there is.
 */

import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { ApiRequest } from "../spec/messages.ts";
import { type OperationId, operations } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Authorizer } from "./authorize.ts";
import type { Members, RecognisedImpression } from "./body-templates.ts";
import {
  alsoShapedBy,
  documented,
  mergeShapedBy,
  refused,
  type ShapedBy,
} from "./operations/outcome.ts";
import { authorizationIfPlainJson, isShortText, readsJson } from "./plain-json.ts";
import type { RequestContext } from "./request-context.ts";
import type { Route, Router } from "./route.ts";

/** A request for an operation, by a caller whose key is valid. */
export interface Identified {
  readonly kind: "identified";
  readonly operation: OperationId;
  /** Whose key was sent. */
  readonly caller: Account;
  /** Whose limit it counts against: the caller's, but where a key serves other publishers too. */
  readonly quotaAccount: Account;
  readonly shapedBy: ShapedBy;
  /** What it says, where the usual reader recognised it. Else its parameters are read once the limit has admitted it. */
  readonly recognised: RecognisedImpression | undefined;
  readonly isHead: boolean;
}

/** A request that no operation gets to see. */
export interface Unidentified {
  readonly kind: "unidentified";
  /** The operation that it asked for, where there is one and only the key was wrong. */
  readonly operation: OperationId | undefined;
  /** Whose key was sent, where no operation answers. */
  readonly sender: Account | undefined;
  /** What stands in the way. */
  readonly why: Exclude<Route, { kind: "operation" }>;
  readonly isHead: boolean;
}

export type Identify = (context: RequestContext) => Identified | Unidentified;

export interface IdentifyParts {
  readonly assumptions: Assumptions;
  readonly route: Router;
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
      shapedBy: documented,
      recognised,
      isHead: false,
    };
  };
}

function createFullReader({ route, authenticate, authorize }: IdentifyParts): Identify {
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
        refused({ code: "malformed_request", detail: `It can't be read: ${flaw}.` }),
      );
    }
    const routed = route(method, path);
    // Whoever sent a valid key is told what is left for it.
    if (routed.kind !== "operation")
      return turnedAway(routed, undefined, authenticate.peek(headers));

    const { operation } = routed;
    const caller = authenticate.callerOf(headers);
    if (caller.kind === "refused")
      return turnedAway(alsoShapedBy(caller, routed.shapedBy), operation.id);
    const { account } = caller;
    return {
      kind: "identified",
      operation: operation.id,
      caller: account,
      quotaAccount: authorize.quotaAccountOf(operation, context, account),
      shapedBy: mergeShapedBy(routed.shapedBy, caller.shapedBy),
      recognised: undefined,
      isHead,
    };
  };
}

/** Looking changes nothing. */
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
      // Found by its publisher: that is mostly one and the same text, and the header may be another each time.
      return isObject(body)
        ? authenticate.templatesOf(body.publisher_id, header)?.readMembers(body)
        : undefined;
    } catch {
      // What throws when it is read, null too, is no impression as clients send it: the full reader says so.
      return undefined;
    }
  };
}

/** Whether it is sent as JSON. */
function isObject(body: ApiRequest["body"]): body is Members {
  return typeof body === "object" && !(body instanceof Uint8Array);
}
