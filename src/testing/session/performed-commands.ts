/** The commands that a client performed in a session, one by one, with their outcomes. */

import { type ClientCommand, isOfClient } from "./command.ts";
import type { AdView, Outcome, Session, Step } from "./session.ts";
import type { WireExchange } from "./wire.ts";

/** A command to the client that wasn't skipped. Closing isn't one of them: every session does that. */
export interface PerformedCommand {
  readonly command: ClientCommand;
  readonly outcome: Outcome;
  readonly shown: AdView | undefined;
  /** Index of its step, or of the `together` step that it is part of. */
  readonly at: number;
  readonly atMs: number;
  /** When it ended; for a part of a `together` step, when the last of its parts did. */
  readonly endMs: number;
  /** What was sent in that step, for all its commands. */
  readonly exchanges: readonly WireExchange[];
  readonly together: boolean;
}

export type PerformedCommandOf<Kind extends ClientCommand["kind"]> = PerformedCommand & {
  readonly command: Extract<ClientCommand, { kind: Kind }>;
};

/** The step that closed the client, and its index; undefined if the client can't be closed, or its closing never ended. */
export function closingOf({ steps }: Session): (Step & { readonly at: number }) | undefined {
  const at = steps.findIndex(({ command }) => command.kind === "close");
  const closing = steps[at];
  const isOver = closing?.outcome.kind === "done" || closing?.outcome.kind === "failed";
  return closing && isOver ? { ...closing, at } : undefined;
}

/** In order, without what was skipped. */
export function performedCommandsOf(session: Session): readonly PerformedCommand[] {
  return session.steps.flatMap(({ parts, ...step }, at) => {
    const { exchanges } = step;
    return parts === undefined
      ? performedCommandsIn(step, at, false)
      : parts.flatMap((part) => performedCommandsIn({ ...part, exchanges }, at, true));
  });
}

export function performedCommandsOfKind<Kind extends ClientCommand["kind"]>(
  session: Session,
  kind: Kind,
): readonly PerformedCommandOf<Kind>[] {
  return performedCommandsOf(session).filter(
    (one): one is PerformedCommandOf<Kind> => one.command.kind === kind,
  );
}

function performedCommandsIn(step: Step, at: number, together: boolean): PerformedCommand[] {
  const { command, outcome, shown, atMs, endMs, exchanges } = step;
  if (!isOfClient(command) || command.kind === "close" || outcome.kind === "skipped") return [];
  return [{ command, outcome, shown, at, atMs, endMs, exchanges, together }];
}
