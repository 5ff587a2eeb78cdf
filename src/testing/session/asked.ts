/** What a client was asked in its life, one by one, and what it said of each. */

import { withoutSecrets } from "../../journal/secrets.ts";
import type { ClientCommand } from "./command.ts";
import type { Outcome, Session, Showing, Step } from "./session.ts";
import type { WireExchange } from "./wire.ts";

/** Something that the client was asked to do, and did in some way. */
export interface Asked {
  readonly command: ClientCommand;
  readonly outcome: Outcome;
  readonly shown: Showing | undefined;
  /** When it was asked. */
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
  return session.steps.flatMap(({ parts, ...step }) => {
    const { exchanges } = step;
    return parts === undefined
      ? askedIn(step, false)
      : parts.flatMap((part) => askedIn({ ...part, exchanges }, true));
  });
}

/** Those of one kind. */
export function askedFor<Kind extends ClientCommand["kind"]>(
  session: Session,
  kind: Kind,
): readonly AskedFor<Kind>[] {
  return askedOf(session).filter((one): one is AskedFor<Kind> => one.command.kind === kind);
}

function askedIn(step: Step, together: boolean): Asked[] {
  const { command, outcome, shown, atMs, exchanges } = step;
  switch (command.kind) {
    case "impression":
    case "again":
    case "click":
    case "stats":
    case "surfaces":
    case "payouts":
    case "flush":
      if (outcome.kind === "skipped") return [];
      return [{ command, outcome, shown, atMs, exchanges, together }];
    default:
      return [];
  }
}

/** Whether nothing came in the way of a request: no fault rule, and no request limit. */
export function isHealthy({ exchanges }: Pick<Session, "exchanges">): boolean {
  return exchanges.every(({ fault, limit }) => fault === undefined && limit === undefined);
}

/** What the client said, in words that hold no secret. */
export function saidOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "done":
      return "said that it was done";
    case "failed":
      return `said that it wasn't done (${withoutSecrets(printed(outcome.error))})`;
    case "stuck":
      return "waits for something that never comes";
    case "endless":
      return "was still waiting after six hours";
    case "flooded":
      return "sent requests without an end";
    case "skipped":
      return `wasn't asked: ${outcome.why}`;
  }
}

function printed(error: unknown): string {
  if (typeof error !== "object" || error instanceof Error) return String(error);
  try {
    return JSON.stringify(error);
  } catch {
    return "an object that can't be printed";
  }
}
