/** Requests of web pages: answers preflights, and adds the headers that let a page read an answer. */

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
  /** The answer to a preflight; undefined for any other request, and where the page may not send what it asks for. */
  preflight(
    context: RequestContext,
    routed: Exclude<Route, { kind: "operation" }>,
  ): ApiResponse | undefined;
  /** The answer as a page gets it that may read it; to any other client it is as it was. */
  withCorsHeaders(context: RequestContext, response: ApiResponse): ApiResponse;
}

/** `cors`: undefined where no page may read anything. */
export function createCorsResponses(
  cors: Cors | undefined,
  quota: Quota,
  respond: Responder,
): CorsResponses {
  return {
    preflight(context, routed) {
      if (cors === undefined || !isPreflight(context.method, context.headers)) return undefined;
      // Where nothing answers, the page is to read that for itself.
      const methods = (routed.kind === "refused" && routed.methods) || ["GET", "POST"];
      const headers = cors.preflightHeaders(context.headers, methods);
      if (headers === undefined) return undefined;
      context.reason = PREFLIGHT;
      // It asks for no operation, so that none has the wrong method.
      const shapedBy = routed.shapedBy.filter((key) => key !== "errors.method");
      context.shapedBy = respond.redirectShapedBy(mergeShapedBy(shapedBy, shapedByCors));
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

/** Of a request as it came: nearly none is a page's, and those needn't be read for it. */
function mayHaveOrigin({ request }: RequestContext): boolean {
  try {
    const { headers } = request;
    return headers != null && headerOf(headers, "origin") !== undefined;
  } catch {
    return true;
  }
}

const shapedByCors: ShapedBy = ["http.cors"];

/** What metrics count a request as. */
export function countedAs({
  operation,
  reason,
}: RequestContext): OperationId | typeof PREFLIGHT | undefined {
  return reason === PREFLIGHT ? PREFLIGHT : operation;
}
