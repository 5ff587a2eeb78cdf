/**
 * One request under every other choice of every assumption: what its answer would be, had that choice been in force from the
 * world's beginning. Works in copies, in which the journal is played again under the choice.
 */

import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import { plainRequest } from "../exchange/plain-request.ts";
import type { HostedCore, SimulatorCore } from "../simulator/core.ts";
import type { Script } from "../simulator/past.ts";
import { type AssumptionKey, catalogue } from "../spec/assumptions/catalogue.ts";
import { keyHint } from "../spec/assumptions/resolve.ts";
import type { ApiRequest } from "../spec/messages.ts";
import { type Answer, type Asked, ask, shownAsked } from "./answer.ts";
import { answerKey, differencesInWords, type SameId } from "./answer-differences.ts";
import { type IdTranslator, idTranslator, sameIdIn, translatedRequest } from "./ids-elsewhere.ts";
import { allKeys } from "./matrix-plan.ts";
import { askUnder, type NamedChoice } from "./past-under.ts";
import { askedOnce, hosted, type Question, worldAt } from "./present.ts";

/** Choices with the same answer: status, headers, body, and how much of it arrives. */
export interface AnswerGroup {
  /** In the first group that of the choices in force, in the others that of the first choice. */
  readonly answer: Answer;
  /** In the order of the catalogue. */
  readonly choices: readonly NamedChoice[];
  /** What differs from the first group's answer, in words such as `status: 409 instead of 200`. */
  readonly differences: readonly string[];
}

export interface ChoiceComparison {
  /** First the answer under the choices in force, with those that don't change it. */
  readonly groups: readonly AnswerGroup[];
  /** Choices that this world can't have, each with the reason. */
  readonly impossible: readonly (NamedChoice & { readonly why: string })[];
  /** From when on the choices hold, if the journal no longer reaches the world's beginning. */
  readonly note?: string | undefined;
}

export interface CompareChoicesOptions {
  /** The assumptions to vary. @default all */
  readonly keys?: readonly AssumptionKey[] | undefined;
}

/**
 * Answers a request at the simulator's present moment under every other choice of every assumption, one at a time. The
 * simulator doesn't change, and its journal doesn't either.
 *
 * Each answer is the one of a simulator that was created with that choice, and got the same requests and the same changes by
 * hand; choices for the same assumption that were made by hand don't count. "The same request" means the same publisher,
 * surface and impression: where ids are others, clients send those that they were told there. Fault rules apply. One that is
 * a function is asked once about requests that look the same to it.
 *
 * @throws InputError if the journal is off, for an unknown key, and for more than the journal can bring back; and whatever a
 * fault function throws.
 */
export function compareChoices(
  sim: SimulatorCore,
  request: ApiRequest,
  options: CompareChoicesOptions = {},
): ChoiceComparison {
  const question: Question = { core: hosted(sim), moment: "now", request, decide: askedOnce() };
  return compareAt(question, options);
}

const optionsSchema = v.strictObject({
  keys: v.optional(v.array(v.string(), "must be a list of assumptions")),
});

/** {@link compareChoices} at any moment. */
export function compareAt(
  question: Question,
  options: CompareChoicesOptions = {},
): ChoiceComparison {
  const { keys = allKeys } = parseInput(optionsSchema, options, "options");
  const varied = keys.map(knownKey);
  const asker = createAsker(question);
  const groups = createGroups(asker.first);
  const impossible: (NamedChoice & { why: string })[] = [];
  for (const choice of varied.flatMap((key) => otherChoices(key, asker.inForce))) {
    try {
      groups.add(choice, asker.find(choice));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      impossible.push({ ...choice, why: error.message });
    }
  }
  return { groups: groups.all(), impossible, ...asker.note };
}

function knownKey(key: string, place: number): AssumptionKey {
  const found = allKeys.find((one) => one === key);
  if (found !== undefined) return found;
  throw new InputError(`keys.${place}`, `is not an assumption.${keyHint(key)}`);
}

function otherChoices(key: AssumptionKey, inForce: HostedCore["assumptions"]): NamedChoice[] {
  const choices = Object.keys(catalogue[key].choices);
  return choices.filter((choice) => choice !== inForce[key]).map((choice) => ({ key, choice }));
}

interface Found {
  readonly asked: Asked;
  readonly isSameId?: SameId | undefined;
}

interface Asker {
  readonly inForce: HostedCore["assumptions"];
  /** The answer under the choices in force. */
  readonly first: Asked;
  /** @throws InputError if the world can't have the choice. */
  find(choice: NamedChoice): Found;
  readonly note: Pick<ChoiceComparison, "note">;
}

function createAsker(question: Question): Asker {
  const present = worldAt(question);
  const { seed, assumptions: inForce } = present;
  const first = ask(present.fork(), question.request);
  const script = question.core.past.scriptOf(question.moment, "earliest");
  const own = withoutOthers(script, first.entry.publisher);
  const { flaw, ...request } = plainRequest(question.request);
  // What can't be read has no ids.
  const requestWith = (idOf: IdTranslator): ApiRequest =>
    flaw === undefined ? translatedRequest(request, idOf) : question.request;

  /** Another format is the same past under other names: nothing has to be played again. */
  function askInFormat(choice: NamedChoice): Found {
    if (wasAssumed(script, "ids.format")) {
      const why = "was changed by hand: clients have ids in more than one format";
      throw new InputError("ids.format", why);
    }
    const world = present.fork();
    if (world.faults.list().some(({ match }) => match?.publisher ?? match?.surface)) {
      throw new InputError("ids.format", "can't be varied: a fault rule names ids in this format");
    }
    const to = world.assume({ [choice.key]: choice.choice });
    const formats = { seed, from: inForce, to };
    const idOf = idTranslator(formats);
    return { asked: ask(world, requestWith(idOf)), isSameId: sameIdIn(formats) };
  }
  return {
    inForce,
    first,
    find(choice) {
      if (choice.key === "ids.format") return askInFormat(choice);
      // A key that works for every publisher lets their requests influence each other.
      const past = choice.key === "auth.key-scope" ? script : own;
      return { asked: askUnder({ ...question, requestWith }, past, choice) };
    },
    // Without an account, nothing depends on the choices yet.
    note: script.from.accounts.size === 0 ? {} : { note: noteAbout(script.sequence) },
  };
}

/**
 * Without the requests of other publishers, which leave this one's books and quotas alone. But rules may count all requests,
 * and a key may work for all publishers.
 */
function withoutOthers(script: Script, publisher: string | undefined): Script {
  const { from } = script;
  const hasRules =
    from.faults.rules.length > 0 ||
    script.items.some((item) => item.kind === "change" && item.change.kind === "fault");
  const isShared =
    hasRules ||
    publisher === undefined ||
    from.settings.assumptions["auth.key-scope"] === "any" ||
    wasAssumed(script, "auth.key-scope") ||
    wasAssumed(script, "ids.format");
  if (isShared) return script;
  const items = script.items.filter(
    (item) => item.kind === "change" || [undefined, publisher].includes(item.record.publisher),
  );
  return { ...script, items };
}

/** Whether the assumption was changed by hand. */
function wasAssumed({ items }: Script, key: AssumptionKey): boolean {
  return items.some(
    (item) =>
      item.kind === "change" &&
      item.change.kind === "assume" &&
      item.change.assumptions[key] !== undefined,
  );
}

function noteAbout(sequence: number): string {
  const since = sequence === 0 ? "what this world began with" : `the state after entry ${sequence}`;
  return `The journal doesn't reach back to the beginning of a world with these settings, so each choice starts from ${since}, which it doesn't change.`;
}

interface Groups {
  add(choice: NamedChoice, found: Found): void;
  all(): AnswerGroup[];
}

function createGroups(first: Asked): Groups {
  interface Group extends AnswerGroup {
    readonly choices: NamedChoice[];
  }
  const groupOf = (asked: Asked, differences: readonly string[]): Group => ({
    answer: shownAsked(asked),
    choices: [],
    differences,
  });
  const groups = new Map([[answerKey(first.response), groupOf(first, [])]]);
  return {
    add(choice, { asked, isSameId }) {
      const name = answerKey(asked.response);
      let group = groups.get(name);
      if (group === undefined) {
        group = groupOf(asked, differencesInWords(first.response, asked.response, isSameId));
        groups.set(name, group);
      }
      group.choices.push(choice);
    },
    all: () => [...groups.values()],
  };
}
