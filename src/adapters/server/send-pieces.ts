/**
 * Sends a long answer in pieces, as fast as its client reads them. An open-ended one then waits for further pieces, until its
 * client leaves or the server closes.
 */

import type { ServerResponse } from "node:http";
import type { LongResponse, Wait } from "../../spec/work.ts";
import { timers } from "./builtins.ts";

/** A client that reads nothing for this long, in milliseconds, is cut off, because others wait for its place. */
const STALLED_MS = 60_000;
/** How long to collect what happens before it is sent, in milliseconds. */
const GATHER_MS = 50;
/** An answer that waits is asked for a piece at least this often, in milliseconds, to keep its connection in use. */
const HEARTBEAT_MS = 15_000;

const { clearTimeout, setTimeout } = timers;

export interface PiecesToSend {
  readonly response: ServerResponse;
  readonly rest: NonNullable<LongResponse["rest"]>;
  /** Computes the next piece; undefined if that fails. */
  next(): ReturnType<PiecesToSend["rest"]["next"]> | undefined;
  /** Schedules a call of `send`. */
  sendLater(): void;
  /** Called when there is no further piece yet. @returns whether to wait for one. */
  isWorthWaiting(): boolean;
}

export interface PieceSender {
  /** Sends pieces until a time, and schedules the next call. */
  send(untilMs: number): void;
  /** Ends the answer after what was sent. */
  end(): void;
}

export function createPieceSender(pieces: PiecesToSend): PieceSender {
  const { response, rest, next, sendLater, isWorthWaiting } = pieces;
  let timer: ReturnType<typeof setTimeout> | undefined;
  response.once("close", () => {
    clearTimeout(timer);
    rest.return?.();
  });

  function waitFor(wait: Wait): void {
    let isOver = false;
    timer = setTimeout(() => {
      isOver = true;
      sendLater();
    }, HEARTBEAT_MS);
    wait(() => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      timer = setTimeout(sendLater, GATHER_MS);
    });
  }
  function end(): void {
    clearTimeout(timer);
    rest.return?.();
    response.end();
  }

  return {
    send(untilMs) {
      while (!(response.closed || response.writableEnded)) {
        const step = next();
        // After the head, only closing the connection can tell the client that the rest won't come.
        if (step === undefined) response.destroy();
        else if (step.done) response.end();
        else if (typeof step.value === "function") isWorthWaiting() ? waitFor(step.value) : end();
        else if (!response.write(step.value)) whenDrained(response, sendLater);
        else if (performance.now() < untilMs) continue;
        else sendLater();
        return;
      }
    },
    end,
  };
}

/**
 * Calls `then` when there is room for more. Node closes the connection of a client that has read nothing for some time: it
 * counts what leaves in the middle of a piece, too.
 */
export function whenDrained(response: ServerResponse, then: () => void): void {
  const { socket } = response;
  socket?.setTimeout(STALLED_MS);
  response.once("drain", () => {
    socket?.setTimeout(0);
    then();
  });
}
