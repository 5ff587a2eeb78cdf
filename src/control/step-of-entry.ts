/** An entry of the journal as a step of a scenario, which sends the same request in any world. */

import { InputError } from "../base/input.ts";
import { utf8Text } from "../base/text.ts";
import { valuesOf } from "../journal/entry-values.ts";
import type { ExchangeItem } from "../journal/log.ts";
import { shownEntry } from "../journal/shown-entry.ts";
import { createRequestSteps } from "../play/scenario/request-step.ts";
import type { RequestStep } from "../play/scenario/types.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { publisherWith } from "./publisher-with.ts";
import type { ScenarioPlayer } from "./route.ts";

export interface StepOfEntry {
  /** Null if no scenario can send the request. */
  readonly step: RequestStep | null;
  readonly whyNoStep?: string;
}

/**
 * The step expects the status that the client got. Keys are left out: it sends that of its publisher. `check` is asked
 * whether scenarios can have such a step.
 */
export function stepOfEntry(
  world: SimulatorCore,
  entry: Pick<ExchangeItem, "record" | "sequence">,
  check: ScenarioPlayer["check"] = () => undefined,
): StepOfEntry {
  if (utf8Text(entry.record.body) === undefined)
    return { step: null, whyNoStep: "The body isn't UTF-8, which a scenario can't send." };
  const step = uncheckedStep(world, entry);
  const publishers = entry.record.world.publishers;
  try {
    check({ name: "step", about: "A step.", publishers, steps: [step] });
    return { step };
  } catch (error) {
    if (error instanceof InputError) return { step: null, whyNoStep: error.message };
    throw error;
  }
}

function uncheckedStep(
  world: SimulatorCore,
  { record, sequence }: Pick<ExchangeItem, "record" | "sequence">,
): RequestStep {
  const { publishers } = world;
  const entry = shownEntry(record, sequence, "shown");
  const sender =
    publisherWith(record.publisher, publishers) ??
    publisherWith(valuesOf(entry.request).get("publisher_id"), publishers) ??
    publishers.at(0);
  const [, sentKey] = /^\S+ +(\S+)$/.exec(entry.request.headers.authorization ?? "") ?? [];
  // A key that worked then may have been replaced since.
  const apiKey = (record.publisher === undefined ? undefined : sentKey) ?? sender.apiKey;
  const isSeeded = sender.ordinal < record.world.publishers;
  // In another world, a seeded publisher has to send for one that signed up.
  const ordinal = isSeeded ? sender.ordinal : 0;
  const surfaces = sender.surfaces.slice(0, publishers.at(ordinal).surfaces.length);
  const publisher = { ref: ordinal, id: sender.id, apiKey, surfaces };
  const step = createRequestSteps([entry], [publisher]).stepOf(entry, publisher);
  return isSeeded ? step : { ...step, note: `Sent by ${sender.id}, who had signed up.` };
}
