/** What a recorded request would have got with a fault, at a later time, or with other content. Works in copies. */

import { InputError, inField, underName } from "../base/input.ts";
import { type FaultRule, parseRule } from "../faults/rule.ts";
import type { FunctionStandIn } from "../faults/rules.ts";
import type { HostedCore } from "../simulator/core.ts";
import { requestIn, verdictIn } from "../simulator/replay.ts";
import type { RequestParts } from "../spec/messages.ts";
import { type Answer, ask, askedOnce, differences, type Question, worldAt } from "./answer.ts";

export type Alteration =
  /** A rule that is asked before all others. */
  | { readonly kind: "fault"; readonly rule: unknown }
  | { readonly kind: "advance"; readonly by: string | number }
  /** The given members take the place of the recorded ones. */
  | { readonly kind: "request"; readonly members: Partial<RequestParts> };

export interface WhatIf {
  /** The answer as things were. */
  readonly before: Answer;
  readonly answer: Answer;
  readonly differences: readonly string[];
}

/**
 * Asks about the request of an entry, right before it was answered. Rules that are functions decide as they did then.
 *
 * @throws InputError if the journal no longer has the entry, or it can't be sent again.
 */
export function recordedQuestion(core: HostedCore, sequence: number): Question {
  const record = core.journal.exchange(sequence)?.record;
  if (record === undefined) {
    const why = "must be the number of an entry that the journal still has";
    throw new InputError("sequence", why, "not-found");
  }
  if (record.reason === "malformed_request") {
    const why = "is a request that couldn't be read, so it can't be sent again";
    throw new InputError("sequence", why, "conflict");
  }
  const decide: FunctionStandIn = (id) => () => verdictIn(record, id);
  return { core, moment: { before: sequence }, request: requestIn(record), decide };
}

/** @throws InputError for an entry that can't be sent again, and for an invalid alteration; it names the field. */
export function whatIf(core: HostedCore, sequence: number, alteration: Alteration): WhatIf {
  const question = recordedQuestion(core, sequence);
  const before = ask(worldAt(question), question.request);
  // Functions are asked again: what they may look at has changed.
  const answer = askAltered({ ...question, decide: askedOnce() }, alteration) ?? before;
  return { before, answer, differences: differences(before, answer) };
}

/** Undefined if the new rule doesn't decide on the request. */
function askAltered(question: Question, alteration: Alteration): Answer | undefined {
  const world = worldAt(question);
  const { request } = question;
  switch (alteration.kind) {
    case "fault": {
      const given: FaultRule = inField("fault", () => parseRule(alteration.rule, ""));
      // Where it doesn't decide, the other rules do, as they did.
      world.faults.clear();
      world.faults.add(given);
      const answer = ask(world, request);
      return world.faults.list().some(({ fired }) => fired > 0) ? answer : undefined;
    }
    case "advance":
      underName("advance", () => world.clock.advance(alteration.by));
      return ask(world, request);
    case "request":
      return ask(world, { ...request, ...alteration.members });
  }
}
