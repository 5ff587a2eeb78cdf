/** The script of a page that calls the service by the browser's own fetch. */

import { observeInPieces, type SeenInPieces, type Sent } from "../../faults/observe-fetch.ts";

export interface PlainPage {
  /** Sends a request, and resolves to what is seen of its answer. */
  observe(sent: Omit<Sent, "patience">): Promise<SeenInPieces>;
  /** Aborts what `observe` waits for. */
  leave(): void;
}

declare global {
  var plainPage: PlainPage;
}

let leave = (): void => {};

globalThis.plainPage = {
  observe(sent) {
    const until = new Promise<void>((resolve) => {
      leave = resolve;
    });
    return observeInPieces(fetch)({ ...sent, patience: { until, ms: 0 } });
  },
  leave: () => leave(),
};
