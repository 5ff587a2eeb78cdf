/** Bytes an impression costs once its de-duplication window has passed, and what a large population costs at the start. */

import { type ApiRequest, createSimulator, type Simulator } from "../src/index.ts";
import { median, printFigure, printMachine, timed } from "./measure.ts";

const IMPRESSIONS = 10_000_000;
const WARM_UP = 200_000;
const PUBLISHERS = 100;
const A_MINUTE = 10_000 * PUBLISHERS;
const WORLDS = 1500;

if (globalThis.gc === undefined) throw new Error("Run it with: node --expose-gc bench/memory.ts");
const collect = globalThis.gc;

function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  // `external` holds the array buffers.
  return heapUsed + external;
}

function bytesAnImpression(): number {
  const sim = createSimulator({ seed: "bench", publishers: PUBLISHERS });
  const callers = sim.publishers.credentials(PUBLISHERS);
  const headers = callers.map(({ apiKey }) => ({ authorization: `Bearer ${apiKey}` }));
  let sent = 0;

  function send(count: number): void {
    for (const end = sent + count; sent < end; sent += 1) {
      const at = sent % PUBLISHERS;
      const caller = callers[at];
      const surface = caller?.surfaces[0]?.id;
      const body = `{"publisher_id":"${caller?.id}","surface":"${surface}","ad_id":"ad","session_id":"s-${sent}"}`;
      const request: ApiRequest = {
        method: "POST",
        path: "/v1/impression",
        headers: headers[at],
        body,
      };
      const { status } = sim.handle(request);
      if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
      if (sent % A_MINUTE === A_MINUTE - 1) sim.clock.advance("1m");
    }
    sim.clock.advance("31m");
    // What left the window is freed as requests come.
    sim.handle({ method: "POST", path: "/v1/click", headers: headers[0], body: "" });
  }

  // Opens every account and fills the journal, which is as large before as after.
  send(WARM_UP);
  const before = usedBytes();
  send(IMPRESSIONS);
  const after = usedBytes();
  const last = sim.journal.entries({ limit: 1 });
  if (last.length !== 1) throw new Error("The journal is empty.");
  return (after - before) / IMPRESSIONS;
}

/** From nothing to the first answer, in milliseconds. */
function startOf(publishers: number, apiKey: string): number {
  return timed(() => {
    const sim = createSimulator({ seed: "bench", publishers });
    const headers = { authorization: `Bearer ${apiKey}` };
    const { status } = sim.handle({ method: "POST", path: "/v1/click", headers, body: "" });
    // The key was known, and the parameter is missing: the path was taken to its validation.
    if (status !== 400) throw new Error(`A click without parameters was answered with ${status}.`);
  });
}

function keyOf(sim: Simulator, ordinal: number): string {
  return sim.publishers.at(ordinal).apiKey;
}

printMachine();
const small: number[] = [];
const large: number[] = [];
const firstKey = keyOf(createSimulator({ seed: "bench", publishers: 1 }), 0);
const lastKey = keyOf(createSimulator({ seed: "bench", publishers: 1_000_000 }), 999_999);
for (let round = 0; round < WORLDS; round += 1) {
  const order = round % 2 === 0;
  if (order) small.push(startOf(1, firstKey));
  large.push(startOf(1_000_000, lastKey));
  if (!order) small.push(startOf(1, firstKey));
}
printFigure({ name: "world of 1 publisher to its first answer", value: median(small), unit: "ms" });
printFigure({ name: "world of 1,000,000 to its first answer", value: median(large), unit: "ms" });
printFigure({
  name: "ratio of the two",
  value: median(large) / median(small),
  unit: "×",
  atMost: 1.2,
});
printFigure({
  name: "memory an impression, over 10 million, window passed",
  value: bytesAnImpression(),
  unit: "bytes",
  atMost: 16,
});
