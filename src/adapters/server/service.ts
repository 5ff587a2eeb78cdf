/** Answers requests: checks their heads, and passes them to the worlds. Knows nothing about sockets. */

import { printableLines } from "../../base/text.ts";
import { isControlTarget } from "../../base/world-path.ts";
import { wayToInspector } from "../../control/browsers.ts";
import type { Guards } from "../../control/guards.ts";
import { MAX_SNAPSHOT_BYTES } from "../../control/read-request.ts";
import { problem } from "../../control/responses.ts";
import { MAX_BODY_BYTES } from "../../exchange/parameters.ts";
import {
  DEFAULT_WORLD,
  type MaybeLater,
  type WaitingClient,
  type Worlds,
} from "../../simulator/worlds.ts";
import type { Rejection } from "../../spec/errors.ts";
import type { ApiRequest, ApiResponse, FollowedResponse } from "../../spec/messages.ts";
import { isGzipped, unpackBody } from "../gzip-body.ts";
import type { RequestHead } from "./read-request.ts";

export function createService(worlds: Worlds, guards: Guards) {
  /** The answer to broken HTTP, which never became a request. */
  const refuse = (rejection: Rejection): ApiResponse => worlds.get(DEFAULT_WORLD).refuse(rejection);

  return {
    /** The answer to a request that its head alone decides; otherwise undefined. */
    inspect(head: RequestHead): ApiResponse | undefined {
      if (isControlTarget(head.path)) return guards.control(head.headers) ?? wayToInspector(head);
      return (
        wayToInspector(head) ??
        (worlds.wouldMake(head.path) ? guards.newWorld(head.headers) : undefined)
      );
    },
    /** The largest body to keep, in bytes. A longer one is refused later. */
    bodyLimit: ({ path }: RequestHead): number =>
      isControlTarget(path) ? MAX_SNAPSHOT_BYTES : MAX_BODY_BYTES,
    /** Answers a complete request. If that throws, only this request fails. */
    answer(request: ApiRequest, client: WaitingClient): MaybeLater<FollowedResponse> {
      try {
        const answer =
          isGzipped(request) && !isControlTarget(request.path)
            ? unpackBody(request).then(worlds.handle)
            : worlds.begin(request, client);
        return answer instanceof Promise ? answer.catch(failureResponse) : answer;
      } catch (error) {
        return failureResponse(error);
      }
    },
    refuse,
  };
}

/** A 500, for a bug in adsim or in a fault function. */
function failureResponse(error: unknown): ApiResponse {
  const details = error instanceof Error ? error.stack : error;
  process.stderr.write(printableLines(`adsim: a bug, or a fault rule that throws. ${details}\n`));
  return problem(
    "bug",
    "The simulator or a fault function failed on this request. The server's standard error says where. If it is the simulator, please report it.",
  );
}
