/** The script of a page in which a worker of MSW answers from a simulator of the page's own. */

import { setupWorker } from "msw/browser";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { createHandlers } from "../../../src/msw.ts";
import {
  type Case,
  impression,
  listing,
  patienceFor,
  type Shown,
  show,
  type Verdict,
} from "../../faults/cases.ts";
import { observeInPieces, type SeenInPieces } from "../../faults/observe-fetch.ts";

export interface MswPage {
  show(one: Case): Promise<Shown<SeenInPieces>>;
  /** Leaves during the answer to an impression. @returns how it failed, and what the journal says that the client got. */
  leave(verdict: Verdict): Promise<{ readonly failure: string; readonly received: string }>;
  /** In which order two answers come, the first of which has to be overtaken. */
  reorder(): Promise<readonly string[]>;
}

declare global {
  var mswPage: Promise<MswPage>;
}

const baseUrl = "https://ads.test";
const observe = observeInPieces((input, init) => fetch(input, init));

async function start(): Promise<MswPage> {
  const worker = setupWorker();
  await worker.start({ quiet: true, serviceWorker: { url: "./mockServiceWorker.js" } });

  function connect(): Simulator {
    const sim = createSimulator({ publishers: 3 });
    worker.resetHandlers(...createHandlers(sim, { baseUrl }));
    return sim;
  }

  return {
    show: (one) => show({ observe, sim: connect(), baseUrl }, one),
    async leave(verdict) {
      const sim = connect();
      sim.faults.add({ match: { nth: 1 }, verdict });
      const seen = await observe({ ...impression(sim, baseUrl), patience: patienceFor(sim) });
      // If MSW told of the abort, it would do so before it passed on a later request.
      await observe(listing(sim, baseUrl));
      const [entry] = sim.journal.entries();
      return { failure: seen.failure ?? "", received: entry?.fault?.received ?? "" };
    },
    async reorder() {
      const sim = connect();
      sim.faults.add({ match: { nth: 1 }, verdict: { kind: "reorder", atMost: "1h" } });
      const order: string[] = [];
      const ask = (which: string): Promise<unknown> =>
        observe(listing(sim, baseUrl)).then(({ status }) => order.push(`${which} ${status}`));
      const first = ask("first");
      await sim.journal.waitFor({});
      await Promise.all([first, ask("second")]);
      return order;
    },
  };
}

globalThis.mswPage = start();
