/** One request under every other choice of every assumption. Works in copies, in which the journal is played again. */

import * as v from "valibot";
import { InputError, parseInput } from "../base/input.ts";
import { strictObject } from "../base/schemas.ts";
import { percentDecoded, utf8Text } from "../base/text.ts";
import { plainRequest } from "../exchange/plain-request.ts";
import type { LogItem } from "../journal/log.ts";
import type { HostedCore, SimulatorCore } from "../simulator/core.ts";
import type { Script } from "../simulator/past.ts";
import { requestIn } from "../simulator/replay.ts";
import { type AssumptionKey, catalogue } from "../spec/assumptions/catalogue.ts";
import { keyHint } from "../spec/assumptions/resolve.ts";
import type { ApiRequest, ApiResponse, RequestParts } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import { type Answer, ask, askedOnce, differences, type Question, worldAt } from "./answer.ts";
import { allKeys } from "./matrix-plan.ts";

/** A choice of one assumption. All others are as they were. */
export interface NamedChoice {
  readonly key: AssumptionKey;
  readonly choice: string;
}

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
  /** Choices that this world can't have or that aren't compared, each with the reason. */
  readonly impossible: readonly (NamedChoice & { readonly why: string })[];
  /** From when on the choices hold, if the journal no longer reaches the world's beginning. */
  readonly note?: string | undefined;
}

export interface CompareChoicesOptions {
  /** The assumptions to vary. @default all */
  readonly keys?: readonly AssumptionKey[] | undefined;
}

/**
 * Answers a request at the simulator's present moment under every other choice of every assumption, one at a time: as a
 * simulator that was created with that choice, and got the same requests and the same changes by hand. The simulator doesn't
 * change. `ids.format` isn't compared: its answers differ in their ids alone.
 *
 * The journal is played again for each choice: some 5 s with 2,000 entries, 25 s with 20,000.
 *
 * @throws InputError if the journal is off, for an unknown key, and for more than the journal can bring back; and whatever a
 * fault function throws.
 */
export function compareChoices(
  sim: SimulatorCore,
  request: ApiRequest,
  options: CompareChoicesOptions = {},
): ChoiceComparison {
  if (!isHosted(sim)) throw new InputError("sim", "must be a simulator made by createSimulator");
  return compareAt({ core: sim, moment: "now", request, decide: askedOnce() }, options);
}

function isHosted(sim: SimulatorCore): sim is HostedCore {
  return typeof sim === "object" && sim !== null && "rebuild" in sim && "past" in sim;
}

const keySchema = v.picklist(allKeys, ({ input }) => `is not an assumption.${keyHint(`${input}`)}`);
const optionsSchema = strictObject({
  keys: v.optional(v.array(keySchema, "must be a list of assumptions"), [...allKeys]),
});

/** {@link compareChoices} at any moment. */
export function compareAt(
  question: Question,
  options: CompareChoicesOptions = {},
): ChoiceComparison {
  const { keys } = parseInput(optionsSchema, options, "options");
  const present = worldAt(question);
  const inForce = present.assumptions;
  const first = ask(present, question.request);
  const script = question.core.past.scriptOf(question.moment, "earliest");
  const groups = [groupOf(first, first)];
  const impossible: (NamedChoice & { why: string })[] = [];
  const choices = keys.flatMap((key) =>
    Object.keys(catalogue[key].choices).map((choice) => ({ key, choice })),
  );
  for (const choice of choices.filter((one) => inForce[one.key] !== one.choice)) {
    try {
      const answer = askUnder(question, script, choice);
      const same = groups.find((one) => differences(one.answer, answer).length === 0);
      const group = same ?? groupOf(answer, first);
      if (same === undefined) groups.push(group);
      group.choices.push(choice);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      impossible.push({ ...choice, why: error.message });
    }
  }
  const gap = `The journal doesn't reach back to the beginning of a world with these settings, so each choice starts from the state after entry ${script.sequence}, which it doesn't change.`;
  // Without an account, nothing depends on the choices yet.
  return { groups, impossible, note: script.from.accounts.size === 0 ? undefined : gap };
}

function groupOf(answer: Answer, first: Answer): AnswerGroup & { choices: NamedChoice[] } {
  return { answer, choices: [], differences: differences(first, answer) };
}

/** @throws InputError if the world can't have that choice. */
function askUnder(
  { core, decide, request }: Question,
  script: Script,
  { key, choice }: NamedChoice,
): Answer {
  if (key === "ids.format")
    throw new InputError(key, "isn't compared: the answers differ in their ids alone");
  const told: Told = new Map();
  const world = core.rebuild(
    { ...script, items: script.items.flatMap((item) => withoutChoice(item, key)) },
    {
      choices: { [key]: choice },
      requestOf: (record) => asToldThere(requestIn(record), told),
      answered(record, answer) {
        const id = impressionIdIn(record.response);
        // An answer without an id there tells one that no world has.
        if (id !== undefined && !told.has(id))
          told.set(id, impressionIdIn(answer) ?? `${id}-untold`);
      },
      decide,
    },
  );
  const { flaw, ...parts } = plainRequest(request);
  return ask(world, flaw === undefined ? asToldThere(parts, told) : request);
}

/** Without a choice of this key; empty if nothing is left. */
function withoutChoice(item: LogItem, key: AssumptionKey): readonly LogItem[] {
  if (item.kind === "exchange" || item.change.kind !== "assume") return [item];
  const { [key]: _, ...assumptions } = item.change.assumptions;
  if (Object.keys(assumptions).length === 0) return [];
  return [{ ...item, change: { ...item.change, assumptions } }];
}

/** Impression ids: as recorded → as the client was told there. */
type Told = Map<string, string>;

function impressionIdIn(response: Pick<ApiResponse, "body">): string | undefined {
  return /"impression_id":"([^"]+)"/.exec(response.body)?.[1];
}

/** A click names the impression that its client was told about there. Nothing else sends what an answer told. */
function asToldThere(request: RequestParts, told: Told): RequestParts {
  if (request.path !== operations.click.path) return request;
  const body = utf8Text(request.body);
  return {
    ...request,
    query: textAsTold(request.query, told),
    body: body === undefined ? request.body : textAsTold(body, told),
  };
}

/** JSON, a form or a query. */
function textAsTold(text: string, told: Told): string {
  return text.replace(
    /((?<!\w)impression_id)("\s*:\s*"|=)([^"&]+)/,
    (whole, name: string, is: string, sent: string) => {
      const isEncoded = is === "=";
      const id = told.get(isEncoded ? (percentDecoded(sent) ?? "") : sent.replaceAll("\\/", "/"));
      return id === undefined ? whole : name + is + (isEncoded ? encodeURIComponent(id) : id);
    },
  );
}
