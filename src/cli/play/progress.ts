/** Progress of a play: one line redrawn in place on a terminal, nothing elsewhere. */

import { readableCount, readableDuration } from "../../play/measure/quantities.ts";
import {
  barOf,
  drawLine,
  eraseLine,
  isLive,
  type LineHost,
  timeLeft,
} from "../output/progress-line.ts";

export interface PlayProgress {
  /**
   * Updates the state. Call it often: the line is redrawn at most ten times a second. `elapsedMs` is measured since the
   * beginning by default.
   */
  update(changed: Partial<PlayState>): void;
  /** Erases the line, before a report. */
  done(): void;
}

export interface PlayState {
  /** `done` of `planned` steps are over; `planned` is 0 if the number isn't known. */
  readonly done: number;
  readonly planned: number;
  /** Requests. */
  readonly sent: number;
  readonly errors: number;
  /** Real time until the end. @default estimated from the steps that are over */
  readonly leftMs?: number;
  /** Real time. */
  readonly elapsedMs: number;
}

const REDRAW_MS = 100;
/** The rate is measured over this time, in milliseconds. */
const RATE_MS = 1000;

export function createProgress(host: LineHost): PlayProgress {
  if (!isLive(host)) return { update: () => undefined, done: () => undefined };
  const { stderr: stream } = host;
  const startedMs = performance.now();
  let state: Omit<PlayState, "elapsedMs"> = { done: 0, planned: 0, sent: 0, errors: 0 };
  let drawnMs = Number.NEGATIVE_INFINITY;
  let before = { elapsedMs: 0, sent: 0 };
  let rate = 0;
  let leftAtMs = 0;

  function rateAt({ elapsedMs, sent }: PlayState): number {
    const passedMs = elapsedMs - before.elapsedMs;
    // At first, the rate of the time so far.
    if (passedMs < RATE_MS) return rate === 0 && passedMs > 0 ? (sent / passedMs) * 1000 : rate;
    rate = ((sent - before.sent) / passedMs) * 1000;
    before = { elapsedMs, sent };
    return rate;
  }

  return {
    update({ elapsedMs = performance.now() - startedMs, ...changed }) {
      state = { ...state, ...changed };
      if (changed.leftMs !== undefined) leftAtMs = elapsedMs;
      if (elapsedMs - drawnMs < REDRAW_MS) return;
      drawnMs = elapsedMs;
      const { leftMs } = state;
      const stillMs = leftMs && Math.max(0, leftMs - (elapsedMs - leftAtMs));
      const now = { ...state, elapsedMs, ...(stillMs !== undefined && { leftMs: stillMs }) };
      drawLine(stream, lineOf(now, rateAt(now)));
    },
    done() {
      eraseLine(stream);
    },
  };
}

function lineOf(
  { done, planned, sent, errors, elapsedMs, leftMs }: PlayState,
  rate: number,
): string {
  const counts =
    sent === 0 ? "" : `, ${readableCount(Math.round(rate))}/s, ${readableCount(errors)} errors`;
  if (planned === 0) return `${readableCount(sent)} requests${counts}`;
  const far = `step ${Math.min(done + 1, planned)} of ${planned}`;
  const left =
    leftMs === undefined
      ? timeLeft(done, planned, elapsedMs)
      : `, ${readableDuration(Math.ceil(leftMs / 1000) * 1000)} left`;
  return `${barOf(done, planned)} ${far}${counts}${left}`;
}
