/** Plays a world's journal again under another choice, and asks the request at its end. */

import type { HistoryStep, Script } from "../simulator/moment.ts";
import { requestIn } from "../simulator/repetition.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { ApiRequest, ApiResponse, RequestParts } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import { type Asked, ask } from "./answer.ts";
import { type IdTranslator, translatedRequest } from "./ids-elsewhere.ts";
import type { Question } from "./present.ts";

/** A choice of one assumption. All others are as they were. */
export interface NamedChoice {
  readonly key: AssumptionKey;
  readonly choice: string;
}

interface AskedQuestion extends Pick<Question, "core" | "decide"> {
  /** The request with the ids of another world. */
  requestWith(idOf: IdTranslator): ApiRequest;
}

type Change = Extract<HistoryStep, { kind: "change" }>["noted"]["change"];

/**
 * The answer to the request under the choice. A click names the impression that its client was told about there.
 *
 * @throws InputError if the world can't have that choice.
 */
export function askUnder(
  { core, decide, requestWith }: AskedQuestion,
  { from, steps, untilMs }: Script,
  { key, choice }: NamedChoice,
): Asked {
  const { assumptions } = from.copy.state.settings;
  const repetition = core.beginAt(from, resolveAssumptions({ ...assumptions, [key]: choice }));
  /** The ids of impressions there, by those that clients were told here. */
  const told = new Map<string, string>();
  const idOf: IdTranslator = (text) => told.get(text) ?? text;
  let latest: ApiResponse | undefined;
  for (const step of steps) {
    if (step.kind === "change") {
      const change = changeBesides(step.noted.change, key);
      if (change !== undefined)
        repetition.repeat({ kind: "change", noted: { ...step.noted, change } });
      continue;
    }
    const { record } = step;
    // The second entry of a duplicated request has no answer of its own.
    latest = repetition.repeat(step, asToldThere(requestIn(record), idOf)) ?? latest;
    const id = impressionIdIn(record.response);
    if (id !== undefined && !told.has(id)) told.set(id, impressionIdIn(latest) ?? `${id}-untold`);
  }
  repetition.end(untilMs, decide);
  return ask(repetition.world, requestWith(idOf));
}

/** Only clicks send what an answer told. */
function asToldThere(request: RequestParts, idOf: IdTranslator): RequestParts {
  return request.path === operations.click.path ? translatedRequest(request, idOf) : request;
}

function impressionIdIn(response: ApiResponse | undefined): string | undefined {
  return response && /"impression_id":"([^"]+)"/.exec(response.body)?.[1];
}

/** Without a choice of this key; undefined if nothing is left. */
function changeBesides(change: Change, key: AssumptionKey): Change | undefined {
  if (change.kind !== "assume" || change.assumptions[key] === undefined) return change;
  const { [key]: _, ...assumptions } = change.assumptions;
  return Object.keys(assumptions).length === 0 ? undefined : { ...change, assumptions };
}
