/** Asks a copy of a world one request, and describes its answer as a journal entry does. */

import type { JournalEntry, ShownResponse } from "../journal/entry.ts";
import { shownResponse } from "../journal/shown-entry.ts";
import type { HostedCore } from "../simulator/core.ts";
import { deliveryTraits, type Received } from "../spec/delivery.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";

/** An answer as the client gets it, and what the service did. Its members mean the same as in a journal entry. */
export interface Answer
  extends ShownResponse,
    Pick<
      JournalEntry,
      "operation" | "reason" | "producedBy" | "assumptions" | "effect" | "creditInr"
    > {
  /** How much of the answer the client gets. */
  readonly received: Received;
}

export interface Asked {
  readonly response: ApiResponse;
  readonly entry: JournalEntry;
}

/** The world is changed by the request: it must be a copy. */
export function ask(world: HostedCore, request: ApiRequest): Asked {
  const entries: JournalEntry[] = [];
  const stop = world.journal.observe((entry) => entries.push(entry));
  const response = world.handle(request);
  stop();
  // A rule may make two of one request, of which the client sees one.
  const seen = entries.find((entry) => entry.response.status === response.status);
  const entry = seen ?? entries[0];
  if (entry === undefined) throw new Error("A request left no trace.");
  return { response, entry };
}

export function receivedOf({ delivery }: ApiResponse): Received {
  return delivery === undefined ? "whole" : deliveryTraits[delivery.kind].received;
}

export function shownAsked({ response, entry }: Asked): Answer {
  const { operation, reason, producedBy, assumptions, effect, creditInr } = entry;
  return {
    ...shownResponse(response),
    received: receivedOf(response),
    ...{ operation, reason, producedBy, assumptions, effect, creditInr },
  };
}
