/** The log's output stream. The process never waits for its reader. */

import { constants, openSync, writeSync } from "node:fs";

export interface Sink {
  /** Whether everything written has been sent, or the reader is gone. */
  isReady(): boolean;
  /** Call it only if it is ready. */
  write(text: string): void;
  /** Calls back once, later, when it may be ready again. */
  whenReady(callback: () => void): void;
}

/** How long to wait before the next try to write to a stopped terminal, in milliseconds. */
const RETRY_DELAY_MS = 20;

export function sinkOf(stream: NodeJS.WriteStream & { readonly fd: number }): Sink {
  const terminal = stream.isTTY === true ? openTerminal(stream.fd) : undefined;
  return terminal === undefined ? streamSink(stream) : terminalSink(terminal);
}

/**
 * Node's writes to a terminal block: a terminal stopped by Ctrl-S would stop the server. So we open it a second time
 * without blocking.
 */
function openTerminal(fd: number): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // The system has no /dev/fd, or the terminal belongs to another user.
    return undefined;
  }
}

function terminalSink(fd: number): Sink {
  let rest: Uint8Array = new Uint8Array();
  let isGone = false;
  function push(): void {
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      isGone = (error as NodeJS.ErrnoException).code !== "EAGAIN";
      if (isGone) rest = new Uint8Array();
    }
  }
  return {
    isReady: () => rest.length === 0,
    write(text) {
      if (isGone) return;
      rest = new TextEncoder().encode(text);
      push();
    },
    whenReady(callback) {
      setTimeout(() => {
        push();
        callback();
      }, RETRY_DELAY_MS);
    },
  };
}

function streamSink(stream: NodeJS.WriteStream): Sink {
  return {
    isReady: () => !stream.writable || !stream.writableNeedDrain,
    write(text) {
      if (stream.writable) stream.write(text);
    },
    whenReady(callback) {
      const settled = (): void => {
        stream.off("drain", settled);
        stream.off("close", settled);
        callback();
      };
      stream.once("drain", settled);
      stream.once("close", settled);
    },
  };
}
