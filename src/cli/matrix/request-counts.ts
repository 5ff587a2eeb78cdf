/**
 * Counts the requests that reach the API of each server in this process. The journal can't say it: a client that resets
 * its world, as test suites do after each test, starts its numbering over.
 */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isControlTarget } from "../../worlds.ts";

export interface RequestCounts {
  /** Requests so far to the server at this base URL, without those to the control API. */
  of(url: string): number;
  close(): void;
}

/** Where Node's HTTP servers tell of each request. */
const CHANNEL = "http.server.request.start";

export function countRequests(): RequestCounts {
  const counts = new Map<string, number>();
  const onRequest = (message: unknown): void => {
    const { request } = message as Started;
    if (isControlTarget(request.url)) return;
    const port = String(request.socket.localPort);
    counts.set(port, (counts.get(port) ?? 0) + 1);
  };
  subscribe(CHANNEL, onRequest);
  return {
    of: (url) => counts.get(new URL(url).port) ?? 0,
    close: () => {
      unsubscribe(CHANNEL, onRequest);
    },
  };
}

/** As Node documents the channel's messages. */
interface Started {
  readonly request: { readonly url: string; readonly socket: { readonly localPort: number } };
}
