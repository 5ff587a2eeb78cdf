/** How far a play is, on a terminal: one line redrawn in place. Anywhere else nothing is written. */

import { readableCount } from "../../play/measure/quantities.ts";
import {
  barOf,
  drawLine,
  eraseLine,
  isLive,
  type LineStream,
  timeLeft,
} from "../output/progress-line.ts";

export interface PlayProgress {
  /**
   * Takes in what has changed. To be called as often as it is cheap: it is redrawn ten times a second at most.
   * `elapsedMs`: since the beginning, unless told.
   */
  update(changed: Partial<PlayState>): void;
  /** Removes what would be in the way of a report. */
  done(): void;
}

export interface PlayState {
  /** Steps that are over, of so many; 0 where that isn't known. */
  readonly done: number;
  readonly planned: number;
  /** Requests. */
  readonly sent: number;
  readonly errors: number;
  /** Of real time. */
  readonly elapsedMs: number;
}

const REDRAW_MS = 100;
/** Over how long a rate is taken, in milliseconds. */
const RATE_MS = 1000;

export function createProgress(stream: LineStream): PlayProgress {
  if (!isLive(stream)) return { update: () => undefined, done: () => undefined };
  const startedMs = performance.now();
  let state: Omit<PlayState, "elapsedMs"> = { done: 0, planned: 0, sent: 0, errors: 0 };
  let drawnMs = Number.NEGATIVE_INFINITY;
  let before = { elapsedMs: 0, sent: 0 };
  let rate = 0;

  function rateAt({ elapsedMs, sent }: PlayState): number {
    const passedMs = elapsedMs - before.elapsedMs;
    // Until there is enough to take one of: what there is.
    if (passedMs < RATE_MS) return rate === 0 && passedMs > 0 ? (sent / passedMs) * 1000 : rate;
    rate = ((sent - before.sent) / passedMs) * 1000;
    before = { elapsedMs, sent };
    return rate;
  }

  return {
    update({ elapsedMs = performance.now() - startedMs, ...changed }) {
      state = { ...state, ...changed };
      if (elapsedMs - drawnMs < REDRAW_MS) return;
      drawnMs = elapsedMs;
      const now = { ...state, elapsedMs };
      drawLine(stream, lineOf(now, rateAt(now)));
    },
    done() {
      eraseLine(stream);
    },
  };
}

function lineOf({ done, planned, sent, errors, elapsedMs }: PlayState, rate: number): string {
  const counts =
    sent === 0 ? "" : `, ${readableCount(Math.round(rate))}/s, ${readableCount(errors)} errors`;
  if (planned === 0) return `${readableCount(sent)} requests${counts}`;
  const far = `step ${Math.min(done + 1, planned)} of ${planned}`;
  return `${barOf(done, planned)} ${far}${counts}${timeLeft(done, planned, elapsedMs)}`;
}
