/**
 * Plays what was done to a world again, in a world of its own. Rules that are functions may not be called again: they decide as
 * they did the first time.
 */

import type { Clock } from "../base/clock.ts";
import { type Faults, repeatFaultChange } from "../faults/faults.ts";
import type { FunctionStandIn } from "../faults/rules.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { WorldChange } from "../journal/log.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { ApiRequest, ApiResponse, RequestParts } from "../spec/messages.ts";
import type { Publishers } from "../world/accounts/publisher-directory.ts";
import type { Script } from "./past.ts";
import type { Choices } from "./simulator-options.ts";

/** The parts of a simulator that are used again. Its clock stands still. */
export interface ReplayedWorld {
  readonly clock: Clock;
  readonly publishers: Publishers;
  readonly faults: Faults;
  handle(request: ApiRequest): ApiResponse;
  assume(choices: Choices): unknown;
}

/** What to do otherwise than the first time. */
export interface Replay {
  /** The request to send in place of a recorded one. @default as it was sent */
  readonly requestOf?: (record: JournalRecord) => RequestParts;
  /** Is told the answer to it. */
  readonly answered?: (record: JournalRecord, answer: ApiResponse) => void;
  /** Decides in place of rules that are functions once all is played. @default they are called */
  readonly decide?: FunctionStandIn;
}

/** `create` makes the world to start from, with `standIn` in place of rules that are functions. */
export function replay<World extends ReplayedWorld>(
  { items, untilMs }: Script,
  create: (standIn: FunctionStandIn) => World,
  { requestOf = requestIn, answered, decide = (_id, rule) => rule }: Replay = {},
): World {
  let played: JournalRecord | undefined;
  let answer: ApiResponse | undefined;
  let decideNow: FunctionStandIn = (id) => () => verdictIn(played, id);
  const standIn: FunctionStandIn = (id, rule) => (request) => decideNow(id, rule)(request);
  const world = create(standIn);

  function advanceTo(atMs: number): void {
    const byMs = atMs - world.clock.now();
    if (byMs > 0) world.clock.advance(byMs);
  }

  for (const item of items) {
    if (item.kind === "change") {
      advanceTo(item.atMs);
      repeatChange(world, item.change, standIn);
      continue;
    }
    const { record } = item;
    // The second entry of a duplicated request is made along with the first.
    if (record.fault?.application !== 2) {
      advanceTo(record.nowMs);
      played = record;
      answer = world.handle(asReadable(record, requestOf(record)));
      answered?.(record, answer);
    }
    if (hasLeft(record)) answer?.delivery?.undelivered();
  }
  decideNow = decide;
  if (untilMs !== undefined) advanceTo(untilMs);
  return world;
}

/** What the rule with this id decided on the recorded request. */
export function verdictIn(record: JournalRecord | undefined, id: string): Verdict | undefined {
  return record?.fault?.rule === id ? record.fault.verdict : undefined;
}

/** The request of a journal record, as data. */
export function requestIn({ method, path, query, headers, body }: JournalRecord): RequestParts {
  return { method, path, query, headers, body };
}

/** What couldn't be read as a request is sent as something like it: fault rules count it. */
function asReadable({ reason }: JournalRecord, request: RequestParts): RequestParts {
  return reason === "malformed_request" ? { ...request, headers: unreadable } : request;
}

/** Its names have no texts. No typed caller could send it. */
const unreadable = { a: {} } as unknown as Readonly<Record<string, string>>;

/** Whether the answer of this entry was handed over to a client that had left. */
function hasLeft({ fault }: JournalRecord): boolean {
  if (fault?.received !== "nothing") return false;
  const { verdict, application } = fault;
  return application === (verdict.kind === "duplicate" && verdict.answer === "second" ? 2 : 1);
}

/** Does a change again. The clock shows the time of the change already. */
export function repeatChange(
  world: Omit<ReplayedWorld, "handle" | "clock">,
  change: WorldChange,
  standIn: FunctionStandIn,
): void {
  switch (change.kind) {
    case "advance":
    case "set-clock":
    case "replace":
      return;
    case "assume":
      world.assume(change.assumptions);
      return;
    case "fault": {
      const { id, rule } = change;
      const asked = typeof rule === "function" ? standIn(id, rule) : rule;
      repeatFaultChange(world.faults, { ...change, rule: asked });
      return;
    }
    case "heal":
      repeatFaultChange(world.faults, change);
      return;
    case "sign-up":
      world.publishers.signUp(change.signUp);
      return;
    case "rotate-key":
      world.publishers.rotateKey(change.publisher);
      return;
    case "set-surface":
      world.publishers.setSurface(change.publisher, change.surface, change.change);
      return;
  }
}
