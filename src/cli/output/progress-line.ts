/** A progress line on standard error that is redrawn in place, for long-running commands. */

import type { WriteStream } from "node:tty";

export type LineStream = Pick<WriteStream, "isTTY" | "columns" | "write">;

/** What of a process decides whether and where lines are drawn. */
export interface LineHost {
  readonly stderr: LineStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const BAR_COLUMNS = 24;
const MIN_COLUMNS = 20;

/** Whether a line can be redrawn. The log of a CI build would keep every version of it. */
export function isLive({ stderr, env }: LineHost): boolean {
  return stderr.isTTY && (env.CI ?? "") === "";
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

/** The end of a progress line; empty if the time left can't be estimated. */
export function timeLeft(done: number, all: number, elapsedMs: number): string {
  if (done === 0 || done >= all) return "";
  const seconds = Math.ceil(((elapsedMs / done) * (all - done)) / 1000);
  return seconds < 100 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`;
}
