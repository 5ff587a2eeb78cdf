/** A client's session in a simulated world: the commands, the requests, the answers, and what the client reported. */

import type { Simulator } from "../../adapters/create-simulator.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { Shown } from "../driver/driver.ts";
import type { Promised } from "../driver/promises.ts";
import type { TimerError } from "../driver/test-world.ts";
import type { Command } from "./command.ts";
import type { WireExchange } from "./wire-exchange.ts";

/** How a command ended. */
export type Outcome =
  /**
   * The client's promise resolved. For `fault` the value is the rule's id, for `spend` the number of requests sent.
   * `gave`: the value in words as it was then. The client may change the object later.
   */
  | { readonly kind: "done"; readonly value: unknown; readonly gave?: string | undefined }
  /** The client's promise rejected. `gave`: the error in words as it was then. */
  | { readonly kind: "failed"; readonly error: unknown; readonly gave?: string | undefined }
  /** The client waits for something that can't happen, waits for too long, or sends requests without end. */
  | { readonly kind: "stuck" | "endless" | "flooded" }
  /** There was nothing to do: no impression to click on, or the driver has no such method. */
  | { readonly kind: "skipped"; readonly why: string };

/** One command and its outcome. */
export interface Step {
  readonly command: Command | { readonly kind: "open" | "afterwards" };
  /** When it began and ended, in milliseconds since 1970 on the world's clock. */
  readonly atMs: number;
  readonly endMs: number;
  readonly outcome: Outcome;
  /** What the client sent meanwhile, for this command or an earlier one. */
  readonly exchanges: readonly WireExchange[];
  /** The ad view of an `impression`, `again` or `click`. */
  readonly shown?: AdView | undefined;
  /** For `together`: one step for each command. The whole step has their exchanges. */
  readonly parts?: readonly Step[] | undefined;
}

/** An ad view, and what the client returned for it. */
export interface AdView extends Shown {
  /** What `impression()` resolved with; undefined until then. */
  receipt: { readonly value: unknown } | undefined;
}

/** A finished session. Don't change its simulator: fork it to try something. */
export interface Session {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  /** The publisher's active surfaces. */
  readonly surfaces: readonly Surface[];
  readonly assumptions: Assumptions;
  /** What the client promises about itself. */
  readonly promised: Promised;
  /** Begins with the opening; ends with the closing and the hour after that. */
  readonly steps: readonly Step[];
  /** All requests of the client that arrived at the service, in order. */
  readonly exchanges: readonly WireExchange[];
  readonly views: readonly AdView[];
  /**
   * When the timers fire that the client still had a second after it was closed, on the world's clock. Without those
   * that don't keep a process alive (`unref`).
   */
  readonly timersAfterClose: readonly number[];
  /** The first error that the callback of a client's timer threw. In Node it would have ended the process. */
  readonly threw: TimerError | undefined;
}
