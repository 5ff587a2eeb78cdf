/** A client that waits, and what befalls it in tests of fake timers: in vitest here, and in Jest with the package. */

import { setImmediate as realTurn } from "node:timers/promises";
import type { FaultRule, Simulator } from "../../src/index.ts";

/** Where the client finds the simulator. */
export interface Place {
  readonly sim: Pick<Simulator, "faults" | "journal" | "publishers">;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  close(): void | Promise<void>;
}

/** Asks again after a while, and gives up when an attempt takes too long. @returns the last status, or why it gave up. */
export async function ask(
  { baseUrl, fetch, sim }: Omit<Place, "close">,
  patienceMs: number,
): Promise<string> {
  const { id, apiKey } = sim.publishers.at(0);
  const url = `${baseUrl}/v1/publisher/surfaces?publisher_id=${id}`;
  for (;;) {
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` }, signal });
      await answer.json();
      if (answer.status === 200) return "200";
    } catch (error) {
      const { name } = error as Error;
      if (name === "TimeoutError") return name;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Situation {
  readonly rules: readonly FaultRule[];
  /** `AbortSignal.timeout` is never a fake, so this is real time. */
  readonly patienceMs: number;
  readonly seen: string;
}

const found = { patienceMs: 50_000, seen: "200" } as const;
const once = { nth: 1 } as const;

export const situations: Readonly<Record<string, Situation>> = {
  "an answer": { rules: [], ...found },
  "an answer that was refused at first": {
    rules: [{ match: once, verdict: { kind: "respond", status: 503, body: {} } }],
    ...found,
  },
  "an answer that was lost at first": {
    rules: [{ match: once, verdict: { kind: "lose-response" } }],
    ...found,
  },
  "a late answer": { rules: [{ verdict: { kind: "delay", delay: "150ms" } }], ...found },
  "an answer that drips": {
    rules: [{ verdict: { kind: "drip", bytesPerSecond: 6000 } }],
    ...found,
  },
  silence: { rules: [{ verdict: { kind: "timeout" } }], patienceMs: 60, seen: "TimeoutError" },
};

/** Lets fake time pass until it has settled. @param advance Moves time a step; does nothing where time moves by itself. */
export async function settle<Result>(
  work: Promise<Result>,
  advance: () => unknown,
): Promise<Result> {
  let isSettled = false;
  const noted = work.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await advance();
    await realTurn();
  }
  return await noted;
}
