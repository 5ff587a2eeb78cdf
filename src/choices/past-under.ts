/** Plays a world's journal again under another choice, and asks the request at its end. */

import type { LogItem } from "../journal/log.ts";
import type { Script } from "../simulator/past.ts";
import { requestIn } from "../simulator/replay.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
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

/**
 * The answer to the request under the choice. A click names the impression that its client was told about there.
 *
 * @throws InputError if the world can't have that choice.
 */
export function askUnder(
  { core, decide, requestWith }: AskedQuestion,
  script: Script,
  { key, choice }: NamedChoice,
): Asked {
  /** Impression ids: as recorded → in the copy. */
  const told = new Map<string, string>();
  const idOf: IdTranslator = (text) => told.get(text) ?? text;
  const world = core.rebuild(
    { ...script, items: script.items.flatMap((item) => withoutChoice(item, key)) },
    {
      choices: { [key]: choice },
      requestOf: (record) => asToldThere(requestIn(record), idOf),
      answered(record, answer) {
        const id = impressionIdIn(record.response);
        if (id === undefined || told.has(id)) return;
        // Or an id that no world has.
        told.set(id, impressionIdIn(answer) ?? `${id}-untold`);
      },
      decide,
    },
  );
  return ask(world, requestWith(idOf));
}

/** Only clicks send what an answer told. */
function asToldThere(request: RequestParts, idOf: IdTranslator): RequestParts {
  return request.path === operations.click.path ? translatedRequest(request, idOf) : request;
}

function impressionIdIn(response: ApiResponse): string | undefined {
  return /"impression_id":"([^"]+)"/.exec(response.body)?.[1];
}

/** Without a choice of this key; empty if nothing is left. */
function withoutChoice(item: LogItem, key: AssumptionKey): readonly LogItem[] {
  if (item.kind === "exchange" || item.change.kind !== "assume") return [item];
  const { [key]: _, ...assumptions } = item.change.assumptions;
  if (Object.keys(assumptions).length === 0) return [];
  return [{ ...item, change: { ...item.change, assumptions } }];
}
