/** What became of one publisher's impression and click requests, counted as they came. An audit holds it against the book. */

import * as v from "valibot";
import { countSchema } from "../../base/schemas.ts";

/** Requests of one operation. Counts of requests, and sums of what their answers credited in micro-INR. */
export interface EventTally {
  /** The service wrote an event down. */
  applied: number;
  /** The service recognised a duplicate, whether it refused it as such or not. */
  suppressed: number;
  /** The service accepted it and had nothing to write down. */
  uncounted: number;
  /** The service refused it for another reason. */
  refused: number;
  /** A rule made the service do it once more. Each is counted above as well. */
  copies: number;
  /** A rule answered in the service's place, which did nothing. */
  injected: number;
  /** A rule kept it from the service, and the client got no answer. */
  dropped: number;
  /** The service did its part, and the client didn't get its answer whole. */
  lost: number;
  /** Events written down in answers that no client got, those of copies included. */
  unseen: number;
  /** Credits of events in answers that a client got. */
  seenMicros: number;
  /** Credits of the unseen ones. */
  unseenMicros: number;
  /** Credits shown again for an event that is a duplicate. */
  repeatedMicros: number;
}

export interface Tally {
  readonly impression: EventTally;
  readonly click: EventTally;
}

export function createTally(): Tally {
  return { impression: createEventTally(), click: createEventTally() };
}

/** Nothing counted yet. */
export function createEventTally(): EventTally {
  return {
    applied: 0,
    suppressed: 0,
    uncounted: 0,
    refused: 0,
    copies: 0,
    injected: 0,
    dropped: 0,
    lost: 0,
    unseen: 0,
    seenMicros: 0,
    unseenMicros: 0,
    repeatedMicros: 0,
  };
}

/** A copy that doesn't change any more. */
export function copyOfTally({ impression, click }: Tally): Tally {
  return { impression: { ...impression }, click: { ...click } };
}

const eventTally = v.strictObject({
  applied: countSchema,
  suppressed: countSchema,
  uncounted: countSchema,
  refused: countSchema,
  copies: countSchema,
  injected: countSchema,
  dropped: countSchema,
  lost: countSchema,
  unseen: countSchema,
  seenMicros: countSchema,
  unseenMicros: countSchema,
  repeatedMicros: countSchema,
});

/** A tally in a snapshot. */
export const savedTallySchema: v.GenericSchema<unknown, Tally> = v.strictObject({
  impression: eventTally,
  click: eventTally,
});
