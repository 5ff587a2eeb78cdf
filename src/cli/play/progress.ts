/** How far a play is, on a terminal: one line redrawn in place. Anywhere else nothing is written. */

import { readableCount, readableMs } from "../../play/measure/quantities.ts";
import { barOf, drawLine, eraseLine, isLive, type LineStream, timeLeft } from "../progress-line.ts";

export interface PlayProgress {
  /** To be called as often as it is cheap: it is redrawn ten times a second at most. */
  update(state: PlayState): void;
  /** Removes what would be in the way of a report. */
  done(): void;
}

export interface PlayState {
  /** Of what is planned: requests, steps or milliseconds. */
  readonly done: number;
  /** Undefined or 0 where it isn't known. */
  readonly planned: number | undefined;
  readonly sent: number;
  readonly errors: number;
  /** Undefined without a request. */
  readonly p99Ms: number | undefined;
  /** Of real time. */
  readonly elapsedMs: number;
}

export interface PlayProgressOptions {
  /** What is planned: steps are counted, of anything else the share is shown. */
  readonly of: "steps" | "share";
}

const REDRAW_MS = 100;
/** Over how long a rate is taken, in milliseconds. */
const RATE_MS = 1000;

export function createProgress(stream: LineStream, { of }: PlayProgressOptions): PlayProgress {
  if (!isLive(stream)) return { update: () => undefined, done: () => undefined };
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
    update(state) {
      if (state.elapsedMs - drawnMs < REDRAW_MS) return;
      drawnMs = state.elapsedMs;
      drawLine(stream, lineOf(state, of, rateAt(state)));
    },
    done() {
      eraseLine(stream);
    },
  };
}

function lineOf(state: PlayState, of: PlayProgressOptions["of"], rate: number): string {
  const { done, planned = 0, sent, errors, p99Ms, elapsedMs } = state;
  const counts =
    sent === 0 ? "" : `, ${readableCount(Math.round(rate))}/s, ${readableCount(errors)} errors`;
  const latency = p99Ms === undefined ? "" : `, p99 ${readableMs(p99Ms)}`;
  if (planned === 0) return `${readableCount(sent)} requests${counts}${latency}`;
  const far =
    of === "steps"
      ? `step ${Math.min(done + 1, planned)} of ${planned}`
      : `${Math.min(Math.floor((done / planned) * 100), 100)} %`;
  return `${barOf(done, planned)} ${far}${counts}${latency}${timeLeft(done, planned, elapsedMs)}`;
}
