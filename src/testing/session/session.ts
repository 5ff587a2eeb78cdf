/**
 * A client's session in a simulated world, as plain data: the calls to the client, the requests that came of them, and what
 * was changed in the world. What the client gave is copied when it gives it, so it can't change afterwards.
 */

import type { JournalFault } from "../../journal/entry.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import type { RequestParts } from "../../spec/messages.ts";
import type { LimitClass, OperationId } from "../../spec/operations.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { Promised, Shown } from "../driver/driver.ts";
import type { TimerError } from "../driver/test-world.ts";
import type { ClientCommand, WorldCommand } from "./command.ts";

/** A finished session. Times are milliseconds since 1970 on the world's clock. */
export interface Session {
  readonly world: {
    /** The client's publisher. */
    readonly publisher: Publisher;
    /** Its active surfaces. */
    readonly surfaces: readonly Surface[];
    readonly startMs: number;
    readonly endMs: number;
    /** How many events are on record in the end, also those of other programs. */
    readonly recorded: { readonly impressions: number; readonly clicks: number };
  };
  readonly assumptions: Assumptions;
  /** The names of the driver's methods, and of what it promises. With `flush`, a method may resolve once an event is queued. */
  readonly members: readonly string[];
  /** What the client promises about itself. */
  readonly promised: Promised;
  /** Whether time was real: then what happens at one time may differ by some milliseconds. */
  readonly isReal: boolean;
  /** All calls to the client, in the order in which they were made: first the one that makes it, last the one that closes it. */
  readonly calls: readonly Call[];
  /** All requests of the client that arrived at the service, in order. */
  readonly requests: readonly Sent[];
  readonly changes: readonly Change[];
  /** When the timers fire that the client still had a second after it was closed, without those that don't keep a process alive. */
  readonly timersLeft: readonly number[];
  /** The first error that a callback of a client's timer threw. In Node it would have ended the process. */
  readonly threw: TimerError | undefined;
}

/** How a call ended. */
export type Outcome =
  | { readonly kind: "done"; readonly value: unknown }
  /** `error` is a copy: an Error with the same name, message, cause and status. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** It waits for what can't happen, waits for too long, or sends requests without end. */
  | { readonly kind: "stuck" | "endless" | "flooded" };

/** A call to the client. Those that a driver has no method for aren't made. */
export interface Call {
  readonly command: ClientCommand | { readonly kind: "open" };
  /** Number of the command of the session that it belongs to, from 0; -1 for `open`. Commands at once have the same number. */
  readonly step: number;
  /** Whether other calls were made at the same time. */
  readonly isTogether: boolean;
  /** The ad view of an `impression`, `again` or `click`. */
  readonly shown: Shown | undefined;
  readonly atMs: number;
  /** When it ended, or was given up. */
  readonly endMs: number;
  readonly outcome: Outcome;
  /** What the value had become by the end of the session, if the client changed it. */
  readonly later?: unknown;
}

/** An answer, as far as it arrived. Status 0: none did. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request of the client. */
export interface Sent {
  /** Its number in the world. */
  readonly sequence: number;
  /** Number of the command under way when it arrived. */
  readonly step: number;
  readonly atMs: number;
  readonly operation: OperationId | undefined;
  /** With the key. */
  readonly request: Omit<RequestParts, "body"> & { readonly body: string };
  /** The parameters in the query and the body, as text. */
  readonly values: Readonly<Record<string, string>>;
  /** What the client got. */
  readonly got: Answer;
  /** When it had that; undefined if nothing arrived, or it isn't known when. */
  readonly gotMs: number | undefined;
  /** The service's own answers: none if a fault kept the request from it, two if a fault rule had it carried out twice. */
  readonly served: readonly Answer[];
  readonly fault: JournalFault | undefined;
  /** The request limit that refused it. */
  readonly limit: LimitClass | undefined;
}

/** Something that was done to the world. */
export interface Change {
  readonly command: WorldCommand;
  readonly step: number;
  readonly atMs: number;
  /** When it was over: later for `advance`, and for the hour that passes after the client was closed. */
  readonly endMs: number;
  /** For `fault` the rule's id, for `spend` the number of requests. */
  readonly result: string | number | undefined;
  /** The fault rules that are installed then and have acted, perhaps on the requests of another program alone. */
  readonly acted: readonly string[];
}

/** A copy of what a client gave. An error keeps its name, message, cause and status. What can't be copied stays itself. */
export function copyOf(value: unknown): unknown {
  if (value instanceof Error) {
    const copy = new Error(value.message, { cause: value.cause });
    const status: unknown = Reflect.get(value, "status");
    return Object.assign(copy, { name: value.name, ...(status !== undefined && { status }) });
  }
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

/** Whether the original isn't any more what it was when it was copied. */
export function isChanged(copy: unknown, original: unknown): boolean {
  try {
    return JSON.stringify(copy) !== JSON.stringify(original);
  } catch {
    // JSON has no bigints and no circular objects.
    return false;
  }
}
