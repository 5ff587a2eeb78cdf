/** One line on standard error that is redrawn in place, for commands that take their time. */

import type { WriteStream } from "node:tty";

/** What of a stream a line needs. */
export type LineStream = Pick<WriteStream, "isTTY" | "columns" | "write">;

const BAR_COLUMNS = 24;
const MIN_COLUMNS = 20;

/** Whether lines are redrawn there: what collects the output of a build would keep every one of them. */
export function isLive(stream: LineStream): boolean {
  return stream.isTTY && (process.env.CI ?? "") === "";
}

export function drawLine(stream: LineStream, line: string): void {
  stream.write(`\r\u001b[K${line.slice(0, Math.max(MIN_COLUMNS, stream.columns - 1))}`);
}

export function eraseLine(stream: LineStream): void {
  stream.write("\r\u001b[K");
}

export function barOf(done: number, all: number): string {
  const filled = Math.min(Math.floor((BAR_COLUMNS * done) / all), BAR_COLUMNS);
  return `[${"=".repeat(filled)}${" ".repeat(BAR_COLUMNS - filled)}]`;
}

/** What follows the rest of a line; nothing where it can't be told. */
export function timeLeft(done: number, all: number, elapsedMs: number): string {
  if (done === 0 || done >= all) return "";
  const seconds = Math.ceil(((elapsedMs / done) * (all - done)) / 1000);
  return seconds < 100 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`;
}
