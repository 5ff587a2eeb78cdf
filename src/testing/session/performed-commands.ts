/** The commands that a client performed in a session, one by one, with their outcomes. */

import { type ClientCommand, isOfClient } from "./command.ts";
import type { AdView, Outcome, Session, Step } from "./session.ts";
import type { WireExchange } from "./wire-exchange.ts";

/** A command to the client that wasn't skipped. */
export interface PerformedCommand {
  readonly command: ClientCommand;
  readonly outcome: Outcome;
  readonly shown: AdView | undefined;
  /** Index of its step, or of the `together` step that it is part of. */
  readonly at: number;
  /** Its place in that step. */
  readonly part: number;
  readonly atMs: number;
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

/** In order, without what was skipped, and without closings: every session has one. */
export function performedCommandsOf(session: Session): readonly PerformedCommand[] {
  return clientCommandsOf(session).filter(({ command }) => command.kind !== "close");
}

/** Every flush and every closing that was performed, in order. */
export function endingsOf(session: Session): readonly PerformedCommand[] {
  return clientCommandsOf(session).filter(
    ({ command: { kind } }) => kind === "flush" || kind === "close",
  );
}

export function performedCommandsOfKind<Kind extends ClientCommand["kind"]>(
  session: Session,
  kind: Kind,
): readonly PerformedCommandOf<Kind>[] {
  return performedCommandsOf(session).filter(
    (one): one is PerformedCommandOf<Kind> => one.command.kind === kind,
  );
}

function clientCommandsOf({ steps }: Session): PerformedCommand[] {
  return steps.flatMap((step, at) => {
    const { exchanges, parts } = step;
    return (parts ?? [step]).flatMap((one, part): PerformedCommand[] => {
      const { command, outcome, shown, atMs, endMs } = one;
      if (!isOfClient(command) || outcome.kind === "skipped") return [];
      const together = parts !== undefined;
      return [{ command, outcome, shown, at, part, atMs, endMs, exchanges, together }];
    });
  });
}
