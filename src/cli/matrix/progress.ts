/** How far the work is, on standard error: one line redrawn in place on a terminal, a line a row elsewhere. */

import type { WriteStream } from "node:tty";

export interface Progress {
  /** From now on rows are run. */
  begin(): void;
  /** A row has ended; `outcome` says how in few words. */
  row(number: number, outcome: string, passed: boolean): void;
  /** From now on something else is done than rows; `done` is called after each step of it. */
  phase(text: string): void;
  step(): void;
  /** Removes what would be in the way of a report. */
  end(): void;
}

const BAR_COLUMNS = 24;
/** How often the time left is redrawn, in milliseconds. */
const REDRAW_MS = 1000;

export function createProgress(stream: WriteStream, rows: number): Progress {
  // What collects the output of a build keeps every redraw.
  const isLive = stream.isTTY && (process.env.CI ?? "") === "";
  return isLive ? bar(stream, rows) : lines(stream, rows);
}

function lines(stream: WriteStream, rows: number): Progress {
  return {
    begin: () => undefined,
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

function bar(stream: WriteStream, rows: number): Progress {
  let phase: string | undefined = "trying the defaults";
  let done = 0;
  let failed = 0;
  let steps = 0;
  let startedMs = performance.now();
  const timer = setInterval(draw, REDRAW_MS).unref();

  function draw(): void {
    const line =
      phase === undefined ? rowsLine() : `${phase}: ${steps} ${steps === 1 ? "run" : "runs"}`;
    stream.write(`\r\u001b[K${line.slice(0, Math.max(20, stream.columns - 1))}`);
  }
  function rowsLine(): string {
    if (rows === 0) return "";
    const filled = Math.floor((BAR_COLUMNS * done) / rows);
    const drawn = `[${"=".repeat(filled)}${" ".repeat(BAR_COLUMNS - filled)}]`;
    return `${drawn} ${done} of ${rows} rows, ${failed} failed${timeLeft()}`;
  }
  function timeLeft(): string {
    if (done === 0 || done === rows) return "";
    const seconds = Math.ceil((((performance.now() - startedMs) / done) * (rows - done)) / 1000);
    return seconds < 100 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`;
  }

  return {
    begin() {
      phase = undefined;
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
      stream.write("\r\u001b[K");
    },
  };
}
