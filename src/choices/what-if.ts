/** What a recorded request would have got with a fault, at a later time, or with other content. Works in copies. */

import { InputError, inField, underName } from "../base/input.ts";
import { type FaultRule, parseRule } from "../faults/rule.ts";
import type { FunctionStandIn } from "../faults/rules.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { HostedCore } from "../simulator/core.ts";
import { requestIn } from "../simulator/replay.ts";
import type { RequestParts } from "../spec/messages.ts";
import { type Answer, type Asked, ask, shownAsked } from "./answer.ts";
import { differencesInWords } from "./answer-differences.ts";
import { askedOnce, asRecorded, type Question, worldAt } from "./present.ts";

/** What to change. */
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
  /** In words. */
  readonly differences: readonly string[];
}

/**
 * Asks about the request of an entry, right before it was answered. Rules that are functions decide as they did then.
 *
 * @throws InputError if the journal no longer has the entry, or it can't be sent again.
 */
export function recordedQuestion(core: HostedCore, sequence: number): Question {
  const record = recordedAt(core, sequence);
  const request = requestIn(record);
  return { core, moment: { before: sequence }, request, decide: asRecorded(record) };
}

function recordedAt({ journal }: HostedCore, sequence: number): JournalRecord {
  const record = journal.exchange(sequence)?.record;
  if (record === undefined) {
    const why =
      journal.capacity === 0
        ? "names no entry: the journal is off (journalEntries is 0)"
        : "must be the number of an entry that the journal still has";
    throw new InputError("sequence", why, "not-found");
  }
  if (record.reason !== "malformed_request") return record;
  const why = "is a request that couldn't be read, so it can't be sent again";
  throw new InputError("sequence", why, "conflict");
}

/** @throws InputError for an entry that can't be sent again, and for an invalid alteration; it names the field. */
export function whatIf(core: HostedCore, sequence: number, alteration: Alteration): WhatIf {
  const question = recordedQuestion(core, sequence);
  // Rules keep the function that they were made with, so what decides is exchanged inside of it: functions are asked again if
  // what they may look at has changed.
  const again = askedOnce();
  let decide: FunctionStandIn = question.decide;
  const present = worldAt({
    ...question,
    decide: (id, call) => (sent) => decide(id, call)(sent),
  });
  const before = ask(present.fork(), question.request);
  if (alteration.kind !== "fault") decide = again;
  const answer = askAltered(present.fork(), question, alteration) ?? before;
  return {
    before: shownAsked(before),
    answer: shownAsked(answer),
    differences: differencesInWords(before.response, answer.response),
  };
}

/** Undefined if the new rule doesn't decide on the request. */
function askAltered(
  world: HostedCore,
  { request }: Question,
  alteration: Alteration,
): Asked | undefined {
  switch (alteration.kind) {
    case "fault": {
      const given: FaultRule = inField("fault", () => parseRule(alteration.rule, ""));
      // Where it doesn't decide, the other rules do, as they did.
      world.faults.clear();
      const { rule } = world.faults.add(given);
      const asked = ask(world, request);
      return asked.entry.fault?.rule === rule.id ? asked : undefined;
    }
    case "advance":
      underName("advance", () => world.clock.advance(alteration.by));
      return ask(world, request);
    case "request":
      return ask(world, { ...request, ...alteration.members });
  }
}
