/**
 * Answers control requests in slices: other requests can run between the slices of a long one, and a large answer is written
 * only as fast as its client reads it. All slices together take a few milliseconds of each turn of the event loop.
 */

import type { ServerResponse } from "node:http";
import type { ApiResponse } from "../../spec/messages.ts";
import { isWork, type LongResponse, type Work } from "../../spec/work.ts";
import { timers } from "./builtins.ts";

export interface Slices {
  /** Starts the job when there is room for it. */
  answer(job: SliceJob): void;
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
}

/** How long the slices of one turn may take together, in milliseconds. */
const TURN_MS = 10;
/** Jobs that run at once. Others wait, because each can hold some hundred kilobytes. */
const MAX_OPEN = 32;
/** A client that reads nothing for this long, in milliseconds, is cut off, because others wait for its place. */
const STALLED_MS = 60_000;

const { clearTimeout, setImmediate, setTimeout } = timers;

/** Works on one answer until a time. */
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
    // Other clients need several turns to get an answer, so after a slow slice they go first.
    if (performance.now() > untilMs + TURN_MS) setTimeout(turn, TURN_MS);
    else setImmediate(turn);
  }
  function close(): void {
    open -= 1;
    const next = backlog.shift();
    if (next !== undefined) start(next);
  }
  function start(job: SliceJob): void {
    open += 1;
    if (job.response.closed) {
      close();
      return;
    }
    job.response.once("close", close);
    add((untilMs) => {
      if (job.response.closed) return;
      const answer = runGuarded(job, job.begin);
      if (answer === undefined) return;
      if (isWork(answer)) continueWork(job, answer, untilMs);
      else job.send(answer);
    });
  }

  function continueWork(job: SliceJob, work: Work<LongResponse>, untilMs: number): void {
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

  function deliver(job: SliceJob, { rest, ...answer }: LongResponse): void {
    if (rest === undefined) {
      job.send(answer);
      return;
    }
    job.sendHead(answer);
    const { response } = job;
    const isTaken = response.write(answer.body);
    const write: Slice = (untilMs) => {
      while (!response.closed) {
        const next = runGuarded(job, () => rest.next());
        // After the head, only closing the connection can tell the client that the rest won't come.
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
    answer(job) {
      if (open < MAX_OPEN) start(job);
      else backlog.push(job);
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

/** Calls `then` when there is room for more. A client that reads nothing is cut off. */
function whenDrained(response: ServerResponse, then: () => void): void {
  const timer = setTimeout(() => response.destroy(), STALLED_MS);
  const drained = (): void => {
    clearTimeout(timer);
    response.off("close", closed);
    then();
  };
  const closed = (): void => {
    clearTimeout(timer);
    response.off("drain", drained);
  };
  response.once("drain", drained);
  response.once("close", closed);
}
