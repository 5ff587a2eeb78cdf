/**
 * Waits until a server has noticed that its client disconnected. Only then does it record the answer as lost, which
 * happens immediately in process. The journal's last entry shows it.
 */

import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import type { ControlApi } from "./control-api.ts";

export interface DisconnectWatcher {
  /** Call this for each request that was sent. */
  countSent(): void;
  /** Call this after the client gave up on the last request. Resolves when the server has noticed, or after a limit. */
  waitUntilNoticed(): Promise<void>;
}

const journal = v.looseObject({
  total: v.number(),
  entries: v.array(
    v.looseObject({
      sequence: v.number(),
      fault: v.optional(v.looseObject({ application: v.number(), received: v.string() })),
    }),
  ),
});

type Entry = v.InferOutput<typeof journal>["entries"][number];

/** Longest wait. A request that never reached the journal is never reported. */
const MAX_WAIT_MS = 2000;
/** Longest wait if the journal is off. */
const MAX_BLIND_WAIT_MS = 100;
const LONGEST_PAUSE_MS = 50;

/** `total`: how many requests the journal has counted so far. */
export function createDisconnectWatcher(api: ControlApi, total: number): DisconnectWatcher {
  let counted = total;
  let sent = 0;

  /** The last request's entries; undefined while it has none. */
  function latestOf(entries: readonly Entry[]): readonly Entry[] | undefined {
    const last = entries.at(-1);
    if (last === undefined || last.sequence < counted + sent) return undefined;
    // A request that a rule applied twice has two entries.
    return last.fault?.application === 2 ? entries.slice(-2) : [last];
  }

  return {
    countSent() {
      sent += 1;
    },
    async waitUntilNoticed() {
      let waitedMs = 0;
      let pauseMs = 0;
      for (;;) {
        const { total: now, entries } = await api.askParsed(journal, "GET", "journal?limit=2");
        const latest = latestOf(entries);
        const isOver = latest?.every(isSettled) ?? false;
        const mostMs = now > 0 && entries.length === 0 ? MAX_BLIND_WAIT_MS : MAX_WAIT_MS;
        if (isOver || waitedMs >= mostMs) {
          counted = now;
          sent = 0;
          return;
        }
        await sleep(pauseMs);
        waitedMs += pauseMs;
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || 1);
      }
    },
  };
}

/** Without a fault rule the answer was sent immediately, before the client gave up. */
function isSettled({ fault }: Entry): boolean {
  return fault === undefined || fault.received === "nothing";
}
