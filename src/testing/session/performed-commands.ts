/** What a client was asked in its life, one by one, and what it said of each. */

import { type ClientCommand, isOfClient } from "./command.ts";
import type { AdView, Outcome, Session, Step } from "./session.ts";
import type { WireExchange } from "./wire.ts";

/** Something that the client was asked to do, and did in some way. */
export interface PerformedCommand {
  readonly command: ClientCommand;
  readonly outcome: Outcome;
  readonly shown: AdView | undefined;
  /** Place of its step; of what was asked together, of the whole. */
  readonly at: number;
  readonly atMs: number;
  /** What was sent meanwhile. Of what was asked together: all of it. */
  readonly exchanges: readonly WireExchange[];
  readonly together: boolean;
}

/** With a command of one kind. */
export type PerformedCommandOf<Kind extends ClientCommand["kind"]> = PerformedCommand & {
  readonly command: Extract<ClientCommand, { kind: Kind }>;
};

/** In order, without what was skipped. */
export function performedCommandsOf(session: Session): readonly PerformedCommand[] {
  return session.steps.flatMap(({ parts, ...step }, at) => {
    const { exchanges } = step;
    return parts === undefined
      ? performedCommandsIn(step, at, false)
      : parts.flatMap((part) => performedCommandsIn({ ...part, exchanges }, at, true));
  });
}

/** Those of one kind. */
export function performedCommandsOfKind<Kind extends ClientCommand["kind"]>(
  session: Session,
  kind: Kind,
): readonly PerformedCommandOf<Kind>[] {
  return performedCommandsOf(session).filter(
    (one): one is PerformedCommandOf<Kind> => one.command.kind === kind,
  );
}

function performedCommandsIn(step: Step, at: number, together: boolean): PerformedCommand[] {
  const { command, outcome, shown, atMs, exchanges } = step;
  if (!isOfClient(command) || outcome.kind === "skipped") return [];
  return [{ command, outcome, shown, at, atMs, exchanges, together }];
}
