/**
 * Counts the requests that reach the API of each server in this process. The journal can't say it: a client that resets
 * its world, as test suites do after each test, starts its numbering over.
 */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isControlTarget } from "../../base/world-path.ts";

export interface RequestCounts {
  /**
   * Requests to the server at this base URL since it was asked last, without those to the control API. To be asked
   * before the server closes: its port may be the next one's.
   */
  take(url: string): number;
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
    take(url) {
      const { port } = new URL(url);
      const count = counts.get(port) ?? 0;
      counts.delete(port);
      return count;
    },
    close: () => {
      unsubscribe(CHANNEL, onRequest);
    },
  };
}

/** As Node documents the channel's messages. */
interface Started {
  readonly request: { readonly url: string; readonly socket: { readonly localPort: number } };
}
