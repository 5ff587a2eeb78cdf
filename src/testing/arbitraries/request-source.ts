/** Where random requests come from: the senders, the recorded impressions, and the assumptions. */

import type { Day } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import { dayReader } from "../../exchange/operations/time-choices.ts";
import { eventIdIn } from "../../journal/entry-values.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import { DEFAULT_START, instantMs } from "../options.ts";

/** An impression on record, for clicks. */
export interface KnownImpression {
  readonly id: string;
  /** Id of its publisher. */
  readonly publisher: string;
}

/** The source of requests: a simulator, or data of another service. */
export interface RequestSource {
  /** The simulator. It is only read: send the requests to a fork of it, so that a failure can be replayed. */
  readonly sim?: SimulatorCore | undefined;
  /** The senders. @default the simulator's first five publishers, and those with an impression */
  readonly publishers?: readonly Credentials[] | undefined;
  /** The impressions to click on. @default those in the simulator's journal */
  readonly impressions?: readonly KnownImpression[] | undefined;
  /** The service's choices; with `sim` its own are used. @default the catalogue's defaults */
  readonly assumptions?: Choices | undefined;
  /** The service's time, in ISO 8601; with `sim` its own is used. @default "2026-01-15T00:00:00Z" */
  readonly now?: string | undefined;
}

export interface GenerationContext {
  readonly assumptions: Assumptions;
  readonly senders: readonly [Credentials, ...Credentials[]];
  /** Those of the senders. */
  readonly impressions: readonly KnownImpression[];
  readonly today: Day;
}

const MAX_SENDERS = 5;
/** Only the latest impressions of the journal are used. */
const MAX_IMPRESSIONS = 50;

/** The current state. @throws InputError if there is no publisher to send. */
export function generationContextOf(source: RequestSource): GenerationContext {
  const { sim } = source;
  const assumptions = sim?.assumptions ?? resolveAssumptions(source.assumptions ?? {});
  const impressions = source.impressions ?? (sim === undefined ? [] : recordedIn(sim));
  const known = source.publishers ?? sim?.publishers.credentials(MAX_SENDERS) ?? [];
  const [first, ...others] = [...known, ...ownersOf(impressions, known, sim)];
  if (first === undefined)
    throw new InputError(
      "publishers",
      "must have a publisher, or pass sim with a simulator that has some",
    );
  const senders = [first, ...others] as const;
  const nowMs = sim?.clock.now() ?? instantMs("now", source.now ?? DEFAULT_START);
  return {
    assumptions,
    senders,
    impressions: impressions.filter((one) => senders.some(({ id }) => id === one.publisher)),
    today: dayReader(assumptions)(nowMs),
  };
}

/** The owners of the impressions that aren't among the known publishers. */
function ownersOf(
  impressions: readonly KnownImpression[],
  known: readonly Credentials[],
  sim: SimulatorCore | undefined,
): readonly Credentials[] {
  if (sim === undefined) return [];
  const ids = new Set(impressions.map(({ publisher }) => publisher));
  for (const { id } of known) ids.delete(id);
  return Array.from(ids, (id) => sim.publishers.get(id));
}

function recordedIn({ journal }: SimulatorCore): KnownImpression[] {
  const entries = journal.entries({
    operation: "impression",
    status: 200,
    fault: "none",
    limit: MAX_IMPRESSIONS,
  });
  return entries.flatMap(({ publisher, response }) => {
    if (publisher === undefined) return [];
    const id = eventIdIn(response, "impression");
    return id === undefined ? [] : [{ id, publisher }];
  });
}
