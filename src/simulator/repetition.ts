/**
 * Does again what was done to a world, step by step, in a world of its own. Rules that are functions may not be called again:
 * they decide as they did the first time.
 */

import type { Clock } from "../base/clock.ts";
import type { FaultFunction } from "../faults/rule.ts";
import type { FunctionStandIn } from "../faults/rules.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { ApiRequest, ApiResponse, RequestParts } from "../spec/messages.ts";
import type { HistoryStep, Script } from "./moment.ts";
import { type ChangeableWorld, repeatChange, type WorldChange } from "./world-change.ts";

interface AnsweringWorld extends ChangeableWorld {
  readonly clock: Clock;
  handle(request: ApiRequest): ApiResponse;
  /** Like `handle`, but the service carries out a request that a rule duplicates only the first time. */
  handleFirst(request: ApiRequest): ApiResponse;
}

export interface Repetition<World> {
  /** The world so far. It has no journal. */
  readonly world: World;
  /**
   * Does a step again. `request`: sent in place of the recorded one.
   *
   * @returns the answer to a request; undefined for a change, and for a request that has no effect of its own.
   */
  repeat(step: HistoryStep, request?: ApiRequest): ApiResponse | undefined;
  /**
   * Rules that are functions are called again from now on, or `asked` decides in their place. Moves the clock to this
   * instant, if it is later.
   */
  end(untilMs: number | undefined, asked?: FunctionStandIn): void;
}

/** `create` makes the world to start from, with `standIn` for rules that are functions. */
export function createRepetition<World extends AnsweringWorld>(
  create: (standIn: FunctionStandIn) => World,
): Repetition<World> {
  let repeated: JournalRecord | undefined;
  let answer: ApiResponse | undefined;
  let decideNow: FunctionStandIn = (id) => () => verdictIn(repeated, id);
  const standIn: FunctionStandIn = (id, decide) => (request) => decideNow(id, decide)(request);
  const world = create(standIn);

  function advanceTo(atMs: number): void {
    const byMs = atMs - world.clock.now();
    if (byMs > 0) world.clock.advance(byMs);
  }

  return {
    world,
    repeat(step, request) {
      if (step.kind === "change") {
        const { atMs, change } = step.noted;
        advanceTo(atMs);
        repeatChange(world, withStandIn(change, standIn));
        return undefined;
      }
      const { record, isFirstOnly = false } = step;
      // The second entry of a duplicated request is made along with the first.
      const isMade = record.fault?.application === 2;
      if (!isMade) {
        advanceTo(record.nowMs);
        repeated = record;
        const sent = sentAgain(record, request);
        answer = isFirstOnly ? world.handleFirst(sent) : world.handle(sent);
        repeated = undefined;
      }
      // Only after the second time is an answer handed over.
      if (!isFirstOnly && hasLeft(record)) answer?.delivery?.undelivered();
      return isMade ? undefined : answer;
    },
    end(untilMs, asked = callAgain) {
      decideNow = asked;
      if (untilMs !== undefined) advanceTo(untilMs);
    },
  };
}

const callAgain: FunctionStandIn = (_id, decide) => decide;

/** What the rule with this id decided on the recorded request. */
export function verdictIn(record: JournalRecord | undefined, id: string): Verdict | undefined {
  return record?.fault?.rule === id ? record.fault.verdict : undefined;
}

/** Does all of a script again. `asked` decides in place of rules that are functions once that is done. */
export function repeatAll(
  repetition: Repetition<unknown>,
  { steps, untilMs }: Script,
  asked?: FunctionStandIn,
): void {
  for (const step of steps) repetition.repeat(step);
  repetition.end(untilMs, asked);
}

/** The request of a journal record, as data. */
export function requestIn({ method, path, query, headers, body }: JournalRecord): RequestParts {
  return { method, path, query, headers, body };
}

/** What couldn't be read as a request is sent as something like it: fault rules count it. */
function sentAgain(record: JournalRecord, request: ApiRequest = requestIn(record)): ApiRequest {
  return record.reason === "malformed_request" ? { ...request, headers: unreadable } : request;
}

/** Its names have no texts. No typed caller could send it. */
const unreadable = { a: {} } as unknown as Readonly<Record<string, string>>;

/** Whether the answer of this entry was handed over to a client that had left. */
function hasLeft({ fault }: Pick<JournalRecord, "fault">): boolean {
  if (fault?.received !== "nothing") return false;
  const { verdict, application } = fault;
  const handedOver = verdict.kind === "duplicate" && verdict.answer === "second" ? 2 : 1;
  return application === handedOver;
}

function withStandIn(change: WorldChange, standIn: FunctionStandIn): WorldChange {
  if (change.kind !== "fault" || typeof change.rule !== "function") return change;
  const decide: FaultFunction = standIn(change.id, change.rule);
  return { ...change, rule: decide };
}
