/** Traffic without draws: so many impressions at a steady pace, and a click some time after each that is answered. */

import type { AnswerOutcome, Arrival, TrafficSource } from "../../../src/play/traffic/source.ts";

export interface MadeUp {
  readonly count: number;
  readonly everyMs: number;
  /** How long after an impression was due it is clicked. @default never */
  readonly clickAfterMs?: number;
  /** How long a client waits. @default 1000 */
  readonly timeoutMs?: number;
}

export interface MadeUpSource extends TrafficSource {
  /** The text of each answer by its number; undefined if it was no success. */
  readonly told: Map<number, string | undefined>;
  /** When each was due. */
  readonly due: Map<number, number>;
}

export function madeUp({ count, everyMs, clickAfterMs, timeoutMs = 1000 }: MadeUp): MadeUpSource {
  const told = new Map<number, string | undefined>();
  const due = new Map<number, number>();
  const clicks: { dueMs: number; of: number }[] = [];
  // The same object serves the next one, as a source may do.
  const arrival: { -readonly [Key in keyof Arrival]: Arrival[Key] } = {
    number: 0,
    dueMs: 0,
    operation: "impression",
    request: { method: "POST", path: "/" },
    timeoutMs,
  };
  let impressions = 0;
  let number = 0;
  const impressionMs = (): number =>
    impressions < count ? impressions * everyMs : Number.POSITIVE_INFINITY;
  return {
    told,
    due,
    nextDueMs: () => Math.min(clicks[0]?.dueMs ?? Number.POSITIVE_INFINITY, impressionMs()),
    next() {
      const nextMs = impressionMs();
      const [click] = clicks;
      if (click !== undefined && click.dueMs <= nextMs) {
        clicks.shift();
        arrival.operation = "click";
        arrival.dueMs = click.dueMs;
        arrival.request = { method: "POST", path: `/click/${click.of}` };
      } else if (nextMs < Number.POSITIVE_INFINITY) {
        impressions += 1;
        arrival.operation = "impression";
        arrival.dueMs = nextMs;
        arrival.request = { method: "POST", path: `/impression/${number}` };
      } else return undefined;
      arrival.number = number;
      due.set(number, arrival.dueMs);
      number += 1;
      return arrival;
    },
    answered(of, answer) {
      const text = successOf(answer);
      told.set(of, text);
      if (clickAfterMs === undefined || text !== "impression") return;
      clicks.push({ of, dueMs: (due.get(of) ?? 0) + clickAfterMs });
    },
  };
}

/** The text of a successful answer. */
export function successOf(answer: AnswerOutcome | undefined): string | undefined {
  return answer?.outcome === "answered" && answer.status === 200 ? answer.text : undefined;
}
