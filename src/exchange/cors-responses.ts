/** Answers preflights, and adds the headers that let a web page read an answer. */

import { PREFLIGHT } from "../journal/record.ts";
import type { ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import { type Cors, isPreflight } from "./cors.ts";
import { headerOf } from "./headers.ts";
import { mergeShapedBy, type ShapedBy } from "./operations/outcome.ts";
import type { Quota } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";
import type { Responder } from "./respond.ts";
import type { Route } from "./route.ts";

export interface CorsResponses {
  /** The answer to a preflight; undefined for any other request, and if the page may not send its request. */
  preflight(
    context: RequestContext,
    routed: Exclude<Route, { kind: "operation" }>,
  ): ApiResponse | undefined;
  /** Adds headers if the request comes from a page that may read the answer; otherwise returns the answer as it is. */
  withCorsHeaders(context: RequestContext, response: ApiResponse): ApiResponse;
}

/** `cors` is undefined if no page may read anything. */
export function createCorsResponses(
  cors: Cors | undefined,
  quota: Quota,
  respond: Responder,
): CorsResponses {
  return {
    preflight(context, routed) {
      if (cors === undefined || !isPreflight(context.method, context.headers)) return undefined;
      // If the path is unknown, let the page send its request and read the 404.
      const methods = routed.methods ?? ["GET", "POST"];
      const headers = cors.preflightHeaders(context.headers, methods);
      if (headers === undefined) return undefined;
      context.reason = PREFLIGHT;
      context.shapedBy = shapedByCors;
      return respond.preflight(
        quota.quotaStatus(undefined, undefined, context.nowMs),
        headers,
        context.shapedBy,
      );
    },
    withCorsHeaders(context, response) {
      if (cors === undefined || context.reason === PREFLIGHT || !mayHaveOrigin(context))
        return response;
      const headers = cors.answerHeaders(context.headers);
      if (headers === undefined) return response;
      context.shapedBy = mergeShapedBy(context.shapedBy, shapedByCors);
      return respond.forPage(response, headers, context.shapedBy);
    },
  };
}

/** Reads the raw request: most have no Origin, and needn't be converted to find that out. */
function mayHaveOrigin({ request }: RequestContext): boolean {
  try {
    const { headers } = request;
    return headers != null && headerOf(headers, "origin") !== undefined;
  } catch {
    return true;
  }
}

const shapedByCors: ShapedBy = ["http.cors"];

/** The operation under which metrics count a request. */
export function countedAs({
  operation,
  reason,
}: RequestContext): OperationId | typeof PREFLIGHT | undefined {
  return reason === PREFLIGHT ? PREFLIGHT : operation;
}
