/** What a recording tells about its requests: the members of journal entries that the file has. */

import type { OperationId } from "../spec/operations.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { JournalEntry, ShownResponse } from "./entry.ts";

/** Why a request is left out. */
export type LeftOut =
  | ("kept-from-service" | "no-response" | "control" | "not-the-api" | "other-host")
  | ("no-operation" | "incomplete" | "other-world" | "unsendable");

/** The settings of the world that answered. */
export type RecordedWorld = Omit<WorldDescription, "assumptions"> & {
  readonly assumptions: Readonly<Record<string, string>>;
};

export interface RecordedEntry extends Pick<JournalEntry, "request"> {
  /** Its place in the file: `line 3`, `entry 3`. */
  readonly place: string;
  readonly sequence?: number | undefined;
  readonly at?: string | undefined;
  readonly operation: OperationId | undefined;
  readonly publisher?: string | undefined;
  /** As the service sent it. Its body is undefined if it wasn't recorded. */
  readonly response: Omit<ShownResponse, "body"> & { readonly body: string | undefined };
  readonly world?: RecordedWorld | undefined;
  readonly leftOut?: LeftOut | undefined;
}

export interface Recording {
  readonly form: "journal" | "HAR" | "CSV";
  /** Whether adsim recorded it, so that sequence and time are those of its world. */
  readonly byAdsim: boolean;
  readonly entries: readonly RecordedEntry[];
}
