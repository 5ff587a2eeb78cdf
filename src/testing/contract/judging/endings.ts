/** Whether what a client was asked ends: nobody waits for ever, and no outage is a reason to send without end. */

import type { Session, Step } from "../../session/session.ts";
import { must } from "../rule.ts";

type Kind = Step["command"]["kind"];

/**
 * @param kinds Which commands have to end. @default all
 * @throws BrokenRule
 * @returns how many of these were in the way of a fault, or came after it.
 */
export function mustEnd(session: Session, kinds?: readonly Kind[]): number {
  const isMeant = ({ command }: Step): boolean => kinds?.includes(command.kind) ?? true;
  const asked = session.steps.flatMap((step) => step.parts ?? [step]).filter(isMeant);
  for (const step of asked) {
    const why = unended(step);
    must(why === undefined, () => `The client's ${step.command.kind} doesn't end: ${why}.`);
  }
  return session.steps
    .filter(isMeant)
    .filter(({ exchanges }) => exchanges.some(({ fault }) => fault !== undefined)).length;
}

function unended({ outcome }: Step): string | undefined {
  switch (outcome.kind) {
    case "stuck":
      return "it waits for an answer that never comes, and for nothing else";
    case "endless":
      return "it still waits after six hours";
    case "flooded":
      return "it has sent more than 250 requests";
    case "done":
    case "failed":
    case "skipped":
      return undefined;
  }
}
