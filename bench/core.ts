/** Impressions a second through `sim.handle`, on one core and the full path, beside a loop that only parses the bodies. */

import { type ApiRequest, createSimulator, type Simulator } from "../src/index.ts";
import { median, printFigure, printMachine, timed } from "./measure.ts";

const REQUESTS = 200_000;
const PUBLISHERS = 25;
const ROUNDS = 7;

interface Prepared {
  readonly sim: Simulator;
  readonly requests: readonly ApiRequest[];
}

/** Requests with a session each, so that none is a duplicate; `run` moves the clock out of the window. */
function prepare(journalEntries: number): Prepared {
  const sim = createSimulator({ seed: "bench", publishers: PUBLISHERS, journalEntries });
  const callers = sim.publishers.credentials(PUBLISHERS).map(({ id, apiKey, surfaces }) => ({
    id,
    surface: surfaces[0]?.id,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
  }));
  const requests = Array.from({ length: REQUESTS }, (_, index): ApiRequest => {
    const caller = callers[index % PUBLISHERS];
    if (caller === undefined) throw new Error("There are fewer publishers than asked for.");
    const body = JSON.stringify({
      publisher_id: caller.id,
      surface: caller.surface,
      ad_id: `ad-${index % 50}`,
      session_id: `session-${index}`,
    });
    return { method: "POST", path: "/v1/impression", headers: caller.headers, body };
  });
  return { sim, requests };
}

function handleAll({ sim, requests }: Prepared): void {
  for (const request of requests) {
    const { status } = sim.handle(request);
    if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
  }
}

function parseAll({ requests }: Prepared): void {
  for (const { body } of requests) {
    const parsed = JSON.parse(String(body)) as { ad_id: unknown };
    if (typeof parsed.ad_id !== "string") throw new Error("A body is not as it was made.");
  }
}

const journalled = prepare(10_000);
const bare = prepare(0);
const perSecond: Record<"floor" | "journalled" | "bare", number[]> = {
  floor: [],
  journalled: [],
  bare: [],
};
const rate = (ms: number): number => (REQUESTS / ms) * 1000;

for (let round = 0; round < ROUNDS; round += 1) {
  for (const { sim } of [journalled, bare]) sim.clock.advance("31m");
  perSecond.floor.push(rate(timed(() => parseAll(bare))));
  perSecond.journalled.push(rate(timed(() => handleAll(journalled))));
  perSecond.bare.push(rate(timed(() => handleAll(bare))));
}

printMachine();
const floor = median(perSecond.floor);
const withJournal = median(perSecond.journalled);
const withoutJournal = median(perSecond.bare);
printFigure({ name: "JSON.parse of the body alone", value: floor, unit: "a second" });
printFigure({
  name: "sim.handle, impressions, with the journal",
  value: withJournal,
  unit: "a second",
  atLeast: 500_000,
});
printFigure({
  name: "sim.handle, impressions, journal off",
  value: withoutJournal,
  unit: "a second",
  atLeast: 1_000_000,
});
printFigure({
  name: "with the journal, share of parsing alone",
  value: withJournal / floor,
  unit: "×",
});
printFigure({
  name: "journal off, share of parsing alone",
  value: withoutJournal / floor,
  unit: "×",
});
