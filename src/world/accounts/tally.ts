/** Counts the outcomes of one publisher's impression and click requests. An audit compares them with the book. */

/** The requests of one operation: numbers of requests, and sums of the credits in their answers in micro-INR. */
export interface EventTally {
  /** The service recorded an event. */
  applied: number;
  /** The service recognised a duplicate, whether it refused it or not. */
  suppressed: number;
  /** The service refused the request for another reason. */
  refused: number;
  /** A rule made the service carry out the request again. Each copy is counted above as well. */
  copies: number;
  /** A rule answered instead of the service, which did nothing. */
  injected: number;
  /** A rule kept the request from the service, and the client got no answer. */
  dropped: number;
  /** The service acted, but the client didn't get its whole answer. */
  lost: number;
  /** Recorded events whose answer no client got, including copies. */
  unseen: number;
  /** Credits of recorded events whose answer a client got. */
  seenMicros: number;
  /** Credits of the unseen events. */
  unseenMicros: number;
}

export interface Tally {
  readonly impression: EventTally;
  readonly click: EventTally;
}

export function createTally(): Tally {
  return { impression: createEventTally(), click: createEventTally() };
}

export function createEventTally(): EventTally {
  return {
    applied: 0,
    suppressed: 0,
    refused: 0,
    copies: 0,
    injected: 0,
    dropped: 0,
    lost: 0,
    unseen: 0,
    seenMicros: 0,
    unseenMicros: 0,
  };
}
