/**
 * Answers control requests in slices: other requests can run between the slices of a long one, and a large answer is written
 * only as fast as its client reads it. All slices together take a few milliseconds of each turn of the event loop.
 */

import type { ServerResponse } from "node:http";
import type { ApiResponse } from "../../spec/messages.ts";
import { isWork, type LongResponse, type Work } from "../../spec/work.ts";
import { timers } from "./builtins.ts";
import { createPieceSender, type PieceSender, whenDrained } from "./send-pieces.ts";

export interface Slices {
  /** Starts the job when there is room for it. */
  answer(job: SliceJob): void;
  /** Ends the open-ended answers, those that are still to come as well. */
  endStreams(): void;
}

export interface SliceJob {
  readonly response: ServerResponse;
  begin(): ApiResponse | Work<LongResponse>;
  /** The answer if something throws. */
  failureResponse(error: unknown): ApiResponse;
  /** Sends a complete answer. */
  send(answer: ApiResponse): void;
  /** Sends the head of an answer whose body follows in pieces. */
  sendHead(answer: ApiResponse): void;
  /** The same for an open-ended answer, after which the connection ends. */
  sendLastHead(answer: ApiResponse): void;
  /** Reads the connection again while an open-ended answer waits, to notice that the client leaves. */
  readOn(): void;
}

interface RunningJob extends SliceJob {
  /** Gives up the job's place among those that run at once. */
  release(): void;
}

/** How long the slices of one turn may take together, in milliseconds. */
const TURN_MS = 10;
/** Jobs that run at once. Others wait, because each can hold some hundred kilobytes. */
const MAX_OPEN = 32;

const { setImmediate, setTimeout } = timers;

/** Works on one answer until a time. */
type Slice = (untilMs: number) => void;

export function createSlices(): Slices {
  const ready: Slice[] = [];
  const backlog: SliceJob[] = [];
  let open = 0;
  let isDue = false;
  const streams = new Set<PieceSender>();
  let isClosing = false;

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
    // Other clients need several turns to get an answer, so after a slow slice they go first.
    if (performance.now() > untilMs + TURN_MS) setTimeout(turn, TURN_MS);
    else setImmediate(turn);
  }
  function start(given: SliceJob): void {
    open += 1;
    let isOpen = true;
    const release = (): void => {
      if (!isOpen) return;
      isOpen = false;
      open -= 1;
      const next = backlog.shift();
      if (next !== undefined) start(next);
    };
    const job: RunningJob = { ...given, release };
    if (job.response.closed) {
      release();
      return;
    }
    job.response.once("close", release);
    add((untilMs) => {
      if (job.response.closed) return;
      const answer = runGuarded(job, job.begin);
      if (answer === undefined) return;
      if (isWork(answer)) continueWork(job, answer, untilMs);
      else job.send(answer);
    });
  }

  function continueWork(job: RunningJob, work: Work<LongResponse>, untilMs: number): void {
    if (job.response.closed) {
      work.return(abandonedResponse);
      return;
    }
    const step = runGuarded(job, () => {
      let next = work.next();
      while (!next.done && next.value === undefined && performance.now() < untilMs) {
        next = work.next();
      }
      return next;
    });
    if (step === undefined) return;
    const again = (): void => add((laterMs) => continueWork(job, work, laterMs));
    if (step.done) deliver(job, step.value);
    else if (step.value === undefined) again();
    else step.value(again);
  }

  function deliver(job: RunningJob, { rest, isOpenEnded, ...answer }: LongResponse): void {
    const { response } = job;
    if (rest === undefined) {
      job.send(answer);
      return;
    }
    if (response.closed) {
      rest.return?.();
      return;
    }
    let isReadOn = false;
    const sender = createPieceSender({
      response,
      rest,
      next: () => runGuarded(job, () => rest.next()),
      sendLater: () => add(sender.send),
      isWorthWaiting() {
        if (isClosing) return false;
        if (!isReadOn) job.readOn();
        isReadOn = true;
        return true;
      },
    });
    if (isOpenEnded === true) {
      job.release();
      streams.add(sender);
      response.once("close", () => streams.delete(sender));
      job.sendLastHead(answer);
    } else job.sendHead(answer);
    if (response.write(answer.body)) add(sender.send);
    else whenDrained(response, () => add(sender.send));
  }

  return {
    answer(job) {
      if (open < MAX_OPEN) start(job);
      else backlog.push(job);
    },
    endStreams() {
      isClosing = true;
      for (const stream of streams) stream.end();
    },
  };
}

const abandonedResponse: LongResponse = { status: 0, headers: {}, body: "" };

/** Answers with an error if the work throws. */
function runGuarded<Result>(job: SliceJob, run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    const answer = job.failureResponse(error);
    if (!job.response.headersSent) job.send(answer);
    return undefined;
  }
}
