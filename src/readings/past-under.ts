/** Repeats a world's past under another choice, and asks the request at its end. */

import type { HistoryStep, Script } from "../simulator/moment.ts";
import { requestIn } from "../simulator/repetition.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import type { AssumptionKey, Choice } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { ApiRequest, ApiResponse, RequestParts } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import type { Work } from "../spec/work.ts";
import { type Asked, ask } from "./answer.ts";
import {
  type IdTranslator,
  idsSentIn,
  idTranslator,
  missingImpression,
  translatedChange,
  translatedRequest,
  translatedRule,
} from "./ids-elsewhere.ts";
import type { Question } from "./present.ts";
import { assumedIn } from "./relevant-past.ts";

/** A past to repeat, from a saved state on. */
export interface PastToRepeat extends Pick<Script, "from" | "untilMs"> {
  readonly steps: readonly HistoryStep[];
  /** Ids of impressions that clients sent, by the entry whose answer told them. */
  readonly told: ReadonlyMap<number, string>;
  /** The entries of the requests that sent such an id. */
  readonly sent: ReadonlySet<number>;
  /** The formats of ids that were in force at some time. */
  readonly formats: ReadonlySet<Choice<"ids.format">>;
  /** The requests by entry, because it takes long to read them from their records again and again. */
  readonly requests: ReadonlyMap<number, RequestParts>;
}

/** Requests to repeat before others get a turn. */
const SLICE = 500;

/**
 * The answer to the request under the choice. Clients send the ids that they were told there.
 *
 * @throws InputError if the world can't have that choice.
 */
export function* askUnder(
  { core, decide }: Question,
  past: PastToRepeat,
  requestWith: (idOf: IdTranslator) => ApiRequest,
  { key, choice }: { readonly key: AssumptionKey; readonly choice: string },
): Work<Asked> {
  const { from, steps, untilMs, told, sent, requests, formats } = past;
  const { seed, assumptions } = from.copy.state;
  const repetition = core.beginAt(from, resolveAssumptions({ ...assumptions, [key]: choice }));
  const { world } = repetition;
  const known = new Map<string, string>();
  const isFormat = key === "ids.format";
  const byFormat: IdTranslator = isFormat
    ? idTranslator({ seed, from: formats, to: choice as Choice<"ids.format"> })
    : (text) => text;
  const idOf: IdTranslator = (text) => known.get(text) ?? byFormat(text);
  if (isFormat) world.rewriteRules((rule) => translatedRule(rule, idOf));

  let latest: ApiResponse | undefined;
  for (const [index, step] of steps.entries()) {
    if (index % SLICE === SLICE - 1) yield;
    if (step.kind === "change") {
      const change = changeBesides(step.noted.change, key);
      if (change === undefined) continue;
      const own = isFormat ? translatedChange(change, idOf) : change;
      repetition.repeat({ kind: "change", noted: { ...step.noted, change: own } });
      continue;
    }
    const { sequence } = step;
    const recorded = requests.get(sequence);
    const needsIds = recorded !== undefined && (isFormat || sent.has(sequence));
    const repeated = needsIds ? translatedRequest(recorded, idOf) : recorded;
    // The second entry of a duplicated request has no answer of its own.
    latest = repetition.repeat(step, repeated) ?? latest;
    const id = told.get(sequence);
    if (id === undefined || known.has(id)) continue;
    known.set(id, impressionIdIn(latest) ?? byFormat(missingImpression(seed, id)));
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
  const requests = new Map<number, RequestParts>();
  const sent = new Set<number>();
  const wanted = new Set(isClick(request) ? idsSentIn(request) : []);
  for (const step of steps) {
    if (step.kind === "change") continue;
    const recorded = requestIn(step.record);
    requests.set(step.sequence, recorded);
    if (!isClick(recorded)) continue;
    sent.add(step.sequence);
    for (const id of idsSentIn(recorded)) wanted.add(id);
  }
  const told = tellersOf(wanted, steps);
  return { from, untilMs, steps, requests, sent, told, formats: formatsIn(from, steps) };
}

/** The first entry whose answer told each of the ids. */
function tellersOf(
  wanted: Set<string>,
  steps: readonly HistoryStep[],
): ReadonlyMap<number, string> {
  const told = new Map<number, string>();
  if (wanted.size === 0) return told;
  for (const step of steps) {
    const id = step.kind === "request" ? impressionIdIn(step.record.response) : undefined;
    // Later ones repeat it.
    if (step.kind === "request" && id !== undefined && wanted.delete(id))
      told.set(step.sequence, id);
  }
  return told;
}

function isClick({ path }: Pick<RequestParts, "path">): boolean {
  return path.startsWith(operations.click.path);
}

function impressionIdIn(response: ApiResponse | undefined): string | undefined {
  return response && /"impression_id":"([^"]+)"/.exec(response.body)?.[1];
}
