/** A client's life in a simulated world: what it was asked, what it sent, what came back, and what it said of it. */

import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { Shown } from "../driver/driver.ts";
import type { TimerError } from "../driver/test-world.ts";
import type { Command } from "./command.ts";
import type { WireExchange } from "./wire.ts";

/** What the client said in the end. */
export type Outcome =
  /** Its promise resolved. Of a `fault` the value is the rule's id, of a `spend` how many requests were sent. */
  | { readonly kind: "done"; readonly value: unknown }
  /** Its promise rejected. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** It waits for nothing that could come, for longer than anybody would, or it sent requests without an end. */
  | { readonly kind: "stuck" | "endless" | "flooded" }
  /** There was nothing to do: no impression to click on, or the driver has no such method. */
  | { readonly kind: "skipped"; readonly why: string };

/** One command, and what came of it. */
export interface Step {
  readonly command: Command | { readonly kind: "open" | "close" | "afterwards" };
  /** When it began and when it was over, in milliseconds since 1970 on the world's clock. */
  readonly atMs: number;
  readonly endMs: number;
  readonly outcome: Outcome;
  /** What the client sent meanwhile, for this command or of an earlier one. */
  readonly exchanges: readonly WireExchange[];
  /** Of `impression`, `again` and `click`: the showing that it was about. */
  readonly shown?: AdView | undefined;
  /** Of `together`: one for each command. Their exchanges are those of the whole. */
  readonly parts?: readonly Step[] | undefined;
}

/** A showing, and what the client gave for it. */
export interface AdView extends Shown {
  /** What `impression()` resolved with; undefined until then. */
  receipt: { readonly value: unknown } | undefined;
}

/** A finished life. The simulator stays as it was left; who wants to try something forks it. */
export interface Session {
  readonly sim: SimulatorCore;
  readonly publisher: Publisher;
  /** The publisher's active surfaces. */
  readonly surfaces: readonly Surface[];
  readonly assumptions: Assumptions;
  /** The opening first; last the closing, and the hour after it. */
  readonly steps: readonly Step[];
  /** All that arrived of the client at the service, in order. */
  readonly exchanges: readonly WireExchange[];
  readonly showings: readonly AdView[];
  /** The first thing that a callback of the client's timers threw. In Node that would have ended its process. */
  readonly threw: TimerError | undefined;
}
