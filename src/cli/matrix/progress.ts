/** Progress on standard error: one line redrawn in place on a terminal, otherwise one line for each row. */

import { counted } from "../../base/counted.ts";
import {
  barOf,
  drawLine,
  eraseLine,
  isLive,
  type LineHost,
  type LineStream,
  timeLeft,
} from "../output/progress-line.ts";

export interface Progress {
  /** Rows begin: there are this many in all. */
  begin(count: number): void;
  /** A row has ended. `outcome` is a short description. */
  row(number: number, outcome: string, passed: boolean): void;
  /** Another phase begins. Call `step` after each of its runs. */
  phase(text: string): void;
  step(): void;
  /** Erases the line, before a report. */
  end(): void;
}

/** How often the time left is redrawn, in milliseconds. */
const REDRAW_MS = 1000;

export function createProgress(host: LineHost): Progress {
  return isLive(host) ? bar(host.stderr) : lines(host.stderr);
}

function lines(stream: LineStream): Progress {
  let rows = 0;
  return {
    begin(count) {
      rows = count;
    },
    row: (number, outcome) => {
      stream.write(`row ${number} of ${rows}: ${outcome}\n`);
    },
    phase: (text) => {
      stream.write(`${text}\n`);
    },
    step: () => undefined,
    end: () => undefined,
  };
}

function bar(stream: LineStream): Progress {
  let rows = 0;
  let phase: string | undefined = "trying the defaults";
  let done = 0;
  let failed = 0;
  let steps = 0;
  let startedMs = performance.now();
  const timer = setInterval(draw, REDRAW_MS).unref();

  function draw(): void {
    const line = phase === undefined ? rowsLine() : `${phase}: ${counted(steps, "run")}`;
    drawLine(stream, line);
  }
  function rowsLine(): string {
    if (rows === 0) return "";
    const left = timeLeft(done, rows, performance.now() - startedMs);
    return `${barOf(done, rows)} ${done} of ${rows} rows, ${failed} failed${left}`;
  }

  return {
    begin(count) {
      phase = undefined;
      rows = count;
      startedMs = performance.now();
      draw();
    },
    row(_number, _outcome, passed) {
      done += 1;
      if (!passed) failed += 1;
      draw();
    },
    phase(text) {
      phase = text;
      steps = 0;
      draw();
    },
    step() {
      steps += 1;
      if (phase !== undefined) draw();
    },
    end() {
      clearInterval(timer);
      eraseLine(stream);
    },
  };
}
