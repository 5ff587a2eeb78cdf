/** What the server answers with: the worlds, and what is decided by a request's head alone. Knows nothing of sockets. */

import { printableLines } from "../../base/text.ts";
import { isControlTarget } from "../../base/world-path.ts";
import { controlBodyLimit } from "../../control/control.ts";
import type { Guards } from "../../control/guards.ts";
import { landingPage } from "../../control/landing-page.ts";
import { problemResponse } from "../../control/problem.ts";
import { MAX_BODY_BYTES } from "../../exchange/parameters.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds.ts";
import type { Rejection } from "../../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../../spec/messages.ts";
import type { LongResponse, Work } from "../../spec/work.ts";

/** A request before its body. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly httpVersion: string;
}

export interface Service {
  /** Looks at a request's head. The answer, where that is enough to refuse it. */
  inspect(head: RequestHead): ApiResponse | undefined;
  /** The most bytes of a body that are worth keeping; {@link begin} refuses a body of one more. */
  bodyLimit(head: Pick<RequestHead, "method" | "path">): number;
  /** Begins to answer a request that has arrived whole. An exception costs its request alone. */
  begin(request: ApiRequest): ApiResponse | Work<LongResponse>;
  /** The answer where that went wrong. */
  failed(error: unknown): ApiResponse;
  /** The answer to what never became a request. */
  refuse(rejection: Rejection): ApiResponse;
}

export function createService(worlds: Worlds, guards: Guards): Service {
  const refuse = (rejection: Rejection): ApiResponse => worlds.get(DEFAULT_WORLD).refuse(rejection);

  return {
    inspect(head) {
      const { host, "transfer-encoding": coding } = head.headers;
      // Two Host headers arrive as one with a comma, which no host has.
      if (host === undefined ? head.httpVersion === "1.1" : host.includes(",")) {
        return refuse({
          code: "malformed_request",
          detail: "An HTTP/1.1 request must have one Host header, with one host.",
        });
      }
      // Chunks are taken apart by Node; what else was done to the body would be read as if it were the body.
      if (coding !== undefined && !/^(chunked)?$/i.test(coding)) {
        return refuse({
          code: "malformed_request",
          detail: "The only Transfer-Encoding that is read is chunked.",
        });
      }
      if (isControlTarget(head.path)) return guards.control(head.headers) ?? landingPage(head);
      return (
        landingPage(head) ??
        (worlds.wouldMake(head.path) ? guards.newWorld(head.headers) : undefined)
      );
    },
    bodyLimit: ({ method, path }) =>
      isControlTarget(path) ? controlBodyLimit(method, path) : MAX_BODY_BYTES,
    begin(request) {
      try {
        return worlds.begin(request);
      } catch (error) {
        return failed(error);
      }
    },
    failed,
    refuse,
  };
}

/** An honest 500: a bug, ours or that of a fault rule that is a function. */
function failed(error: unknown): ApiResponse {
  const told = error instanceof Error ? error.stack : error;
  process.stderr.write(printableLines(`adsim: a bug, or a fault rule that throws. ${told}\n`));
  return problemResponse({
    kind: "bug",
    detail:
      "The simulator failed on this request, or a fault rule that is a function did. Its standard error says where; please report it if it is the simulator.",
  });
}
