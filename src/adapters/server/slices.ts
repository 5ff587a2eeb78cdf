/**
 * Answers control requests in slices: a long one lets other requests pass in between, and a large answer is written as fast
 * as its client reads it. Together they take a few milliseconds of each turn of the event loop.
 */

import type { ServerResponse } from "node:http";
import type { ApiResponse } from "../../spec/messages.ts";
import { isWork, type LongResponse, type Work } from "../../spec/work.ts";
import { timers } from "./builtins.ts";

/** Where answers are worked out in slices. */
export interface Slices {
  /** Answers when it is its turn. */
  answer(order: SliceJob): void;
}

export interface SliceJob {
  readonly response: ServerResponse;
  begin(): ApiResponse | Work<LongResponse>;
  /** What is answered instead where something throws. */
  failed(error: unknown): ApiResponse;
  /** Sends an answer that is complete. */
  send(answer: ApiResponse): void;
  /** Sends the head of an answer whose body follows in pieces. */
  sendHead(answer: ApiResponse): void;
}

/** How long others wait for a turn's slices, in milliseconds. */
const TURN_MS = 10;
/** Answers that are worked on at once. The others wait: each can hold some hundred kilobytes. */
const MAX_OPEN = 32;
/** A client that reads nothing for so long, in milliseconds, is cut off: others wait for its place. */
const STALLED_MS = 60_000;

const { clearTimeout, setImmediate, setTimeout } = timers;

/** A slice of one answer, until a time. */
type Slice = (untilMs: number) => void;

export function createSlices(): Slices {
  const ready: Slice[] = [];
  const backlog: SliceJob[] = [];
  let open = 0;
  let isDue = false;

  function add(slice: Slice): void {
    ready.push(slice);
    if (isDue) return;
    isDue = true;
    setImmediate(turn);
  }
  function turn(): void {
    const untilMs = performance.now() + TURN_MS;
    while (ready.length > 0 && performance.now() < untilMs) ready.shift()?.(untilMs);
    isDue = ready.length > 0;
    if (!isDue) return;
    // Answering another client takes several turns. After a slice that took too long they come at once.
    if (performance.now() > untilMs + TURN_MS) setTimeout(turn, TURN_MS);
    else setImmediate(turn);
  }
  function close(): void {
    open -= 1;
    const next = backlog.shift();
    if (next !== undefined) start(next);
  }
  function start(order: SliceJob): void {
    open += 1;
    if (order.response.closed) {
      close();
      return;
    }
    order.response.once("close", close);
    add((untilMs) => {
      if (order.response.closed) return;
      const answer = runGuarded(order, order.begin);
      if (answer === undefined) return;
      if (isWork(answer)) continueWork(order, answer, untilMs);
      else order.send(answer);
    });
  }

  /** Works until the time is over. */
  function continueWork(order: SliceJob, work: Work<LongResponse>, untilMs: number): void {
    if (order.response.closed) {
      work.return(abandonedResponse);
      return;
    }
    const step = runGuarded(order, () => {
      let next = work.next();
      while (!next.done && next.value === undefined && performance.now() < untilMs) {
        next = work.next();
      }
      return next;
    });
    if (step === undefined) return;
    const again = (): void => add((laterMs) => continueWork(order, work, laterMs));
    if (step.done) deliver(order, step.value);
    else if (step.value === undefined) again();
    else step.value(again);
  }

  function deliver(order: SliceJob, { rest, ...answer }: LongResponse): void {
    if (rest === undefined) {
      order.send(answer);
      return;
    }
    order.sendHead(answer);
    const { response } = order;
    const isTaken = response.write(answer.body);
    const write: Slice = (untilMs) => {
      while (!response.closed) {
        const next = runGuarded(order, () => rest.next());
        // The head was sent, so only closing the connection can tell the client that the rest won't come.
        if (next === undefined) response.destroy();
        else if (next.done) response.end();
        else if (!response.write(next.value)) whenDrained(response, () => add(write));
        else if (performance.now() < untilMs) continue;
        else add(write);
        return;
      }
    };
    if (isTaken) add(write);
    else whenDrained(response, () => add(write));
  }

  return {
    answer(order) {
      if (open < MAX_OPEN) start(order);
      else backlog.push(order);
    },
  };
}

const abandonedResponse: LongResponse = { status: 0, headers: {}, body: "" };

/** Answers with an error if the work throws. */
function runGuarded<Result>(order: SliceJob, act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    const answer = order.failed(error);
    if (!order.response.headersSent) order.send(answer);
    return undefined;
  }
}

/** Calls `act` when there is room for more. A client that reads nothing is cut off. */
function whenDrained(response: ServerResponse, act: () => void): void {
  const timer = setTimeout(() => response.destroy(), STALLED_MS);
  const drained = (): void => {
    clearTimeout(timer);
    response.off("close", closed);
    act();
  };
  const closed = (): void => {
    clearTimeout(timer);
    response.off("drain", drained);
  };
  response.once("drain", drained);
  response.once("close", closed);
}
