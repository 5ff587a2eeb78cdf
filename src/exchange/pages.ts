/** Requests of web pages: answers preflights, and adds the headers that let a page read an answer. */

import { PREFLIGHT } from "../journal/record.ts";
import type { ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import { type Cors, isPreflight } from "./cors.ts";
import { headerOf } from "./headers.ts";
import { type ShapedBy, shapedByBoth } from "./operations/outcome.ts";
import type { Quota } from "./quota.ts";
import type { Responder } from "./respond.ts";
import type { Route } from "./route.ts";
import type { Visit } from "./visit.ts";

export interface Pages {
  /** The answer to a preflight; undefined for any other request, and where the page may not send what it asks for. */
  preflight(visit: Visit, routed: Exclude<Route, { kind: "operation" }>): ApiResponse | undefined;
  /** The answer as a page gets it that may read it; to any other client it is as it was. */
  readable(visit: Visit, response: ApiResponse): ApiResponse;
}

/** `cors`: undefined where no page may read anything. */
export function createPages(cors: Cors | undefined, quota: Quota, respond: Responder): Pages {
  return {
    preflight(visit, routed) {
      if (cors === undefined || !isPreflight(visit.method, visit.headers)) return undefined;
      // Where nothing answers, the page is to read that for itself.
      const methods = (routed.kind === "refused" && routed.methods) || ["GET", "POST"];
      const headers = cors.preflightHeaders(visit.headers, methods);
      if (headers === undefined) return undefined;
      visit.reason = PREFLIGHT;
      // It asks for no operation, so that none has the wrong method.
      const shapedBy = routed.shapedBy.filter((key) => key !== "errors.method");
      visit.shapedBy = respond.shapedRedirect(shapedByBoth(shapedBy, shapedByCors));
      return respond.preflight(
        quota.standing(undefined, undefined, visit.nowMs),
        headers,
        visit.shapedBy,
      );
    },
    readable(visit, response) {
      if (cors === undefined || visit.reason === PREFLIGHT || !mayHaveOrigin(visit))
        return response;
      const headers = cors.answerHeaders(visit.headers);
      if (headers === undefined) return response;
      visit.shapedBy = shapedByBoth(visit.shapedBy, shapedByCors);
      return respond.forPage(response, headers, visit.shapedBy);
    },
  };
}

/** Of a request as it came: nearly none is a page's, and those needn't be read for it. */
function mayHaveOrigin({ request }: Visit): boolean {
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
}: Visit): OperationId | typeof PREFLIGHT | undefined {
  return reason === PREFLIGHT ? PREFLIGHT : operation;
}
