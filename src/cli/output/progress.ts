/** Progress on standard error: a line that is redrawn in place on a terminal. Elsewhere there are only the notes. */

export interface Progress {
  /** Draws the line, ten times a second at most. */
  draw(line: () => string): void;
  /** Writes a line that stays. */
  note(line: string): void;
  /** Erases the line, before a report. */
  erase(): void;
}

const REDRAW_MS = 100;
const MIN_COLUMNS = 20;

export function createProgress({ stderr, env }: Pick<NodeJS.Process, "stderr" | "env">): Progress {
  // The log of a CI build would keep every version of the line.
  const isLive = stderr.isTTY === true && (env.CI ?? "") === "";
  let drawnMs = Number.NEGATIVE_INFINITY;
  const erase = (): void => void (isLive && stderr.write("\r\u001b[K"));
  return {
    draw(line) {
      const nowMs = performance.now();
      if (!isLive || nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      erase();
      stderr.write(line().slice(0, Math.max(MIN_COLUMNS, stderr.columns - 1)));
    },
    note(line) {
      erase();
      stderr.write(`${line}\n`);
    },
    erase,
  };
}
