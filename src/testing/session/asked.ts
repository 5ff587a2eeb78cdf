/** What a client was asked in its life, one by one, and what it said of each. */

import { type ClientCommand, isOfClient } from "./command.ts";
import type { Outcome, Session, Showing, Step } from "./session.ts";
import type { WireExchange } from "./wire.ts";

/** Something that the client was asked to do, and did in some way. */
export interface Asked {
  readonly command: ClientCommand;
  readonly outcome: Outcome;
  readonly shown: Showing | undefined;
  /** Place of its step; of what was asked together, of the whole. */
  readonly at: number;
  readonly atMs: number;
  /** What was sent meanwhile. Of what was asked together: all of it. */
  readonly exchanges: readonly WireExchange[];
  readonly together: boolean;
}

/** With a command of one kind. */
export type AskedFor<Kind extends ClientCommand["kind"]> = Asked & {
  readonly command: Extract<ClientCommand, { kind: Kind }>;
};

/** In order, without what was skipped. */
export function askedOf(session: Session): readonly Asked[] {
  return session.steps.flatMap(({ parts, ...step }, at) => {
    const { exchanges } = step;
    return parts === undefined
      ? askedIn(step, at, false)
      : parts.flatMap((part) => askedIn({ ...part, exchanges }, at, true));
  });
}

/** Those of one kind. */
export function askedFor<Kind extends ClientCommand["kind"]>(
  session: Session,
  kind: Kind,
): readonly AskedFor<Kind>[] {
  return askedOf(session).filter((one): one is AskedFor<Kind> => one.command.kind === kind);
}

function askedIn(step: Step, at: number, together: boolean): Asked[] {
  const { command, outcome, shown, atMs, exchanges } = step;
  if (!isOfClient(command) || outcome.kind === "skipped") return [];
  return [{ command, outcome, shown, at, atMs, exchanges, together }];
}
