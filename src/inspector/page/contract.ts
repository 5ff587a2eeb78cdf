/** What the control API answers to this page, as types. */

import type { ListedExchange, ShownChange } from "../../control/listed-exchange.ts";
import type { InstalledRule } from "../../faults/faults.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { RequestStep } from "../../play/scenario/types.ts";
import type { HostedCore } from "../../simulator/core.ts";
import type { Assumption } from "../../spec/assumptions/catalogue.ts";
import type { Publisher } from "../../world/accounts/account.ts";

/** An exchange as the list shows it. */
export type Row = ListedExchange;

/** What somebody changed in the world, between the entries `after` and `after + 1`. */
export type Change = ShownChange;

export type Item = Row | Change;

export interface EntryReply {
  readonly entry: JournalEntry;
  readonly curl: string;
  /** Null if the body isn't UTF-8. */
  readonly step: RequestStep | null;
}

export type Catalogue = Readonly<Record<string, Assumption>>;

export type Choices = Readonly<Record<string, string>>;

export interface Clock {
  readonly mode: string;
  readonly now: string;
}

export interface PublisherState
  extends Pick<Publisher, "id" | "name" | "surfaces">,
    ReturnType<HostedCore["figuresOf"]> {
  /** Answers of the service then. */
  readonly stats: { readonly status: number; readonly body: string };
}

export interface State extends Clock {
  readonly assumptions: Choices;
  readonly faults: readonly InstalledRule[];
  readonly publisher: PublisherState | null;
}

/** The world before and after an entry, as the publisher of the request sees it. */
export interface Moment {
  /** Null if it can't be rebuilt. */
  readonly before: State | null;
  readonly after: State;
}

export interface WorldSummary {
  readonly name: string;
  readonly now: string;
  readonly requests: number;
}

export interface Listing {
  readonly publishers: readonly Publisher[];
  readonly total: number;
}
