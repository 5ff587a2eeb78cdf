/** One simulated service, as its users and its server see it. */

import type { Audit } from "../audit/audit.ts";
import type { ClientReport } from "../audit/client-report.ts";
import type { Clock } from "../base/clock.ts";
import type { Faults } from "../faults/faults.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { Journal, JournalRing } from "../journal/journal.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { Rejection } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import type { Publishers } from "../world/accounts/publisher-directory.ts";
import type { Snapshot } from "../world/accounts/snapshot.ts";
import type { Moment, Past, Script } from "./past.ts";
import type { PublisherFigures } from "./publisher-figures.ts";
import type { Replay } from "./replay.ts";
import type { Usage } from "./running-world.ts";
import type { Choices, ResolvedOptions } from "./simulator-options.ts";

/** One simulated service, without a transport. */
export interface SimulatorCore {
  readonly seed: string;
  readonly assumptions: Assumptions;
  readonly publishers: Publishers;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: Journal;
  /** How clients used the API so far, and what they did wrong, according to the journal. Call it when they are done. */
  report(): ClientReport;
  /**
   * Answers a request synchronously. No request makes it throw. The caller may change the response.
   *
   * @throws whatever a fault function throws, and InputError if it returns anything but a verdict.
   */
  handle(request: ApiRequest): ApiResponse;
  /**
   * Changes the choices of some assumptions from now on. Everything recorded stays recorded. A new `limit.algorithm` resets
   * the quotas; a new `dedup.key` or `dedup.window` makes de-duplication forget past events. De-duplication never knows
   * events recorded under `dedup.repeat=count`.
   *
   * @returns all choices in force.
   * @throws InputError for an unknown key or choice, and for another `date.timezone` after events or sign-ups were filed by
   * day. Nothing changes then.
   */
  assume(choices: Choices): Assumptions;
  /** Counts what was attempted, applied, answered and lost, and says whether the books agree. Reads only. */
  audit(): Audit;
  /**
   * The whole state without the journal, as JSON for {@link restore}.
   *
   * @throws InputError if a fault rule is a function.
   */
  snapshot(): Snapshot;
  /** Replaces the whole state, including seed and options. @throws InputError; nothing changes then. */
  restore(snapshot: Snapshot): void;
  /**
   * A separate simulator that starts from this state, with an empty journal. With a moment it starts from the state of that
   * moment instead, such as `{ after: 17 }`: right after entry 17 of the journal.
   *
   * @throws InputError if what the moment is rebuilt from was dropped, or the journal never had the entry.
   */
  fork(moment?: Moment): SimulatorCore;
  /** A separate simulator with the same seed and settings, at the same instant, without any events. */
  fresh(): SimulatorCore;
  usage(): Usage;
  /** Starts over from the options, including clock, journal, assumptions and fault rules. Another seed gives another population. */
  reset(options?: { readonly seed?: string | undefined }): void;
}

/** A simulator with what a server needs in addition. */
export interface HostedCore extends SimulatorCore {
  /** What it was made from. A reset starts over from it. */
  readonly options: ResolvedOptions;
  readonly journal: JournalRing;
  readonly past: Past;
  fork(moment?: Moment): HostedCore;
  /** A {@link fork} that becomes a world of the server: its requests count in the metrics. */
  forkCounted(moment?: Moment): HostedCore;
  /**
   * A copy of the world at a moment, without a journal. Its clock stands still. `choices`: in force from where the script starts.
   */
  rebuild(script: Script, how?: Replay & { readonly choices?: Choices }): HostedCore;
  /** Replaces each fault rule that is data by what `rewrite` makes of it. Its counts stay. For copies only: nothing is noted. */
  rewriteRules(rewrite: (rule: FaultRule) => FaultRule): void;
  /** Books and quotas of a publisher. @throws InputError if no publisher has this id. */
  figuresOf(publisherId: string): PublisherFigures;
  /** Answers broken HTTP, which never became a request. The journal doesn't record it. */
  refuse(rejection: Rejection): ApiResponse;
  /** `by`: what replaces the state. @default "restore" */
  restore(snapshot: Snapshot, by?: "restore" | "play"): void;
}
