/** Impressions that are tried aside. */

import type { Exchange, Member } from "../player/effects.ts";
import { notKnown } from "./evidence.ts";
import { creditOf } from "./reading.ts";

/** What came of an impression aside: its id, or that it was refused as a repeat. */
export function outcomeOf(answer: Exchange): string {
  if (answer.status === 409) return "repeat";
  const credit = creditOf(answer, "impression");
  return (
    credit?.id ??
    notKnown(`an impression aside was answered with ${answer.status || answer.outcome}`)
  );
}

export function impressionOf(member: Member, session_id: string): Readonly<Record<string, string>> {
  return { surface: member.surfaces[0]?.id ?? "none", ad_id: "probe", session_id };
}
