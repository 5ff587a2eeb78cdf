/** Repeats a world's past under another choice, and asks the request at its end. */

import type { HistoryStep, Script } from "../simulator/moment.ts";
import { requestIn } from "../simulator/repetition.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import type { AssumptionKey, Choice } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { ApiRequest, ApiResponse, RequestParts } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import { type Asked, ask } from "./answer.ts";
import {
  type IdTranslator,
  idsSentIn,
  idTranslator,
  missingImpressionIn,
  translatedChange,
  translatedRequest,
  translatedRule,
} from "./ids-elsewhere.ts";
import type { Question } from "./present.ts";
import { assumedIn } from "./relevant-past.ts";

/** A past to repeat, from a saved state on. */
export interface PastToRepeat extends Pick<Script, "from" | "untilMs"> {
  readonly steps: readonly PastStep[];
  /** The formats of ids that were in force at some time. */
  readonly formats: ReadonlySet<Choice<"ids.format">>;
}

export type PastStep = ChangeStep | RequestStep;

type ChangeStep = Extract<HistoryStep, { kind: "change" }>;

type RequestStep = Extract<HistoryStep, { kind: "request" }> & {
  /** Read from the record once, because that takes long. */
  readonly request: RequestParts;
  /** Whether it sends ids that an earlier answer told. */
  readonly sendsTold: boolean;
  /** The id of an impression that its answer told, if clients sent it later and no earlier answer told it. */
  readonly tells: string | undefined;
};

/**
 * The answer to the request under the choice. Clients send the ids that they were told there.
 *
 * @throws InputError if the world can't have that choice.
 */
export function askUnder(
  { core, decide }: Question,
  past: PastToRepeat,
  requestWith: (idOf: IdTranslator) => ApiRequest,
  { key, choice }: { readonly key: AssumptionKey; readonly choice: string },
): Asked {
  const { from, steps, untilMs, formats } = past;
  const { seed, assumptions } = from.copy.state;
  const repetition = core.beginAt(from, resolveAssumptions({ ...assumptions, [key]: choice }));
  const { world } = repetition;
  /** Ids that are others there, by those that clients were told here. */
  const told = new Map<string, string>();
  const isFormat = key === "ids.format";
  const byFormat: IdTranslator = isFormat
    ? idTranslator({ seed, from: formats, to: choice as Choice<"ids.format"> })
    : (text) => text;
  const idOf: IdTranslator = (text) => told.get(text) ?? byFormat(text);
  if (isFormat) world.rewriteRules((rule) => translatedRule(rule, idOf));
  const missing = missingImpressionIn(seed);

  let latest: ApiResponse | undefined;
  for (const step of steps) {
    if (step.kind === "change") {
      const change = changeBesides(step.noted.change, key);
      if (change === undefined) continue;
      const own = isFormat ? translatedChange(change, idOf) : change;
      repetition.repeat({ kind: "change", noted: { ...step.noted, change: own } });
      continue;
    }
    const { request, sendsTold, tells } = step;
    const hasOtherIds = isFormat || (sendsTold && told.size > 0);
    // The second entry of a duplicated request has no answer of its own.
    latest =
      repetition.repeat(step, hasOtherIds ? translatedRequest(request, idOf) : request) ?? latest;
    if (tells === undefined) continue;
    const id = impressionIdIn(latest) ?? byFormat(missing(tells));
    if (id !== tells) told.set(tells, id);
  }
  repetition.end(untilMs, decide);
  return ask(world, requestWith(idOf));
}

type Change = Extract<HistoryStep, { kind: "change" }>["noted"]["change"];

/** Without a choice of this key; undefined if nothing is left. */
function changeBesides(change: Change, key: AssumptionKey): Change | undefined {
  if (change.kind !== "assume" || change.assumptions[key] === undefined) return change;
  const { [key]: _, ...assumptions } = change.assumptions;
  return Object.keys(assumptions).length === 0 ? undefined : { ...change, assumptions };
}

function formatsIn(
  from: Script["from"],
  steps: readonly HistoryStep[],
): ReadonlySet<Choice<"ids.format">> {
  const choices: Readings[] = [from.copy.state.assumptions, ...assumedIn(steps)];
  return new Set(choices.map((one) => one["ids.format"]).filter((one) => one !== undefined));
}

/** Reads the requests of the steps, and finds which of them told and sent ids of impressions. */
export function pastOf(
  { from, untilMs }: Script,
  steps: readonly HistoryStep[],
  request: RequestParts,
): PastToRepeat {
  const untold = new Set(idsClickedBy(request));
  for (const step of steps) {
    if (step.kind === "request") for (const id of idsClickedBy(step.record)) untold.add(id);
  }
  const read = (step: HistoryStep): PastStep => {
    if (step.kind === "change") return step;
    const { record } = step;
    const id = untold.size === 0 ? undefined : impressionIdIn(record.response);
    // Later answers repeat it.
    const tells = id !== undefined && untold.delete(id) ? id : undefined;
    return { ...step, request: requestIn(record), sendsTold: isClick(record), tells };
  };
  return { from, untilMs, steps: steps.map(read), formats: formatsIn(from, steps) };
}

function idsClickedBy(request: RequestParts): readonly string[] {
  return isClick(request) ? idsSentIn(request) : [];
}

export function isClick({ path }: Pick<RequestParts, "path">): boolean {
  return path.startsWith(operations.click.path);
}

function impressionIdIn(response: ApiResponse | undefined): string | undefined {
  return response && /"impression_id":"([^"]+)"/.exec(response.body)?.[1];
}
