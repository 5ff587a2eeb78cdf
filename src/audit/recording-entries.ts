/** Picks the journal's impressions and clicks, and reads from each its event and its publisher. */

import { createReader } from "../exchange/read.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import { type Input, isEventKind, type Subject } from "../spec/operations.ts";
import type { Accounts, AccountWorld } from "../world/accounts/accounts.ts";
import type { Ids } from "../world/publishers/ids.ts";
import type { RecordingEntry } from "./clues.ts";

interface PublisherEntry extends RecordingEntry {
  /** Id of the publisher; undefined without a valid key. */
  readonly publisher: string | undefined;
}

/** Reads requests under the world's assumptions. */
export function recordingEntries(
  entries: readonly JournalEntry[],
  { assumptions, accounts, ids }: AccountWorld,
): PublisherEntry[] {
  const readInput = createReader(assumptions);
  const publisherOf = publisherResolvers[assumptions["auth.key-scope"]];
  return entries.flatMap((entry): PublisherEntry[] => {
    const { operation, request } = entry;
    if (!isEventKind(operation)) return [];
    const read = readInput(operation, request);
    const { input = {}, subject } = read.kind === "valid" ? (read as Recording) : {};
    const publisher = entry.publisher && publisherOf(entry.publisher, subject, accounts, ids);
    const { surface, ad_id, impression_id, session_id } = input;
    const event = JSON.stringify([publisher, surface, ad_id, impression_id]);
    return [{ entry, publisher, event, session: session_id }];
  });
}

interface Recording {
  readonly input?: Partial<Input<"impression"> & Input<"click">>;
  readonly subject?: Subject;
}

const publisherResolvers = {
  publisher: (caller) => caller,
  "publisher-hidden": (caller) => caller,
  any(caller, subject, accounts, ids) {
    if (subject === undefined) return caller;
    const ordinal =
      subject.kind === "impression"
        ? ids.impression.decode(subject.id)?.publisher
        : accounts.ordinalOf(subject.id);
    return ordinal === undefined ? caller : ids.publisher.encode(ordinal, 0);
  },
} satisfies Record<
  Choice<"auth.key-scope">,
  (caller: string, subject: Subject | undefined, accounts: Accounts, ids: Ids) => string
>;
