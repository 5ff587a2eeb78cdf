/**
 * Waits until a server has noticed that its client went away: only then its books say that the answer is lost, as they
 * do at once in process. The journal's last entry tells.
 */

import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import type { ControlApi } from "./control-api.ts";

export interface DisconnectWatcher {
  /** To be told of each request that was sent. */
  countSent(): void;
  /** After the client gave up on the last one: resolves once the server knows, or where there is nothing to know. */
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

/** How long it waits at most: where the request never came to the journal, nothing ever tells. */
const MAX_WAIT_MS = 2000;
/** How long it waits at most where the journal keeps nothing. */
const MAX_BLIND_WAIT_MS = 100;
const LONGEST_PAUSE_MS = 50;

/** `total`: how many requests the journal has counted so far. */
export function createDisconnectWatcher(api: ControlApi, total: number): DisconnectWatcher {
  let counted = total;
  let sent = 0;

  /** The last request's entries; undefined while it isn't there. */
  function latestOf(entries: readonly Entry[]): readonly Entry[] | undefined {
    const last = entries.at(-1);
    if (last === undefined || last.sequence < counted + sent) return undefined;
    // What a rule applied twice has two.
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

/** Without a rule the answer was on its way at once. */
function isSettled({ fault }: Entry): boolean {
  return fault === undefined || fault.received === "nothing";
}
