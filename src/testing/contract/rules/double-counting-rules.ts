/** Nothing counts twice: what a client sends once more though the service may have done it. */

import fc from "fast-check";
import { dedupWindowOf } from "../../../exchange/operations/operation-world.ts";
import type { FaultMatch } from "../../../faults/rule.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import type { Session } from "../../session/session.ts";
import { type EventTask, eventsOf } from "../../session/tasks.ts";
import { applied, doubtful, fault } from "./disturbances.ts";
import { must, onRecord, type Rule } from "./rule.ts";
import {
  again,
  anyAdView,
  click,
  commandsAfter,
  event,
  flush,
  sequence,
  shortPause,
  showing,
  together,
  weightedOneOf,
} from "./sequences.ts";

const ofClicks: fc.Arbitrary<FaultMatch> = fc.constantFrom(
  { operation: "click", times: 1 },
  { operation: "click" },
);
export const noEventDoubled: Rule = {
  id: "no-event-doubled",
  says: "No showing and no click counts twice, whatever happens to the answer",
  source: "spec §4",
  // Under the other readings nobody sees that a click was repeated, and the spec promises none of them.
  assuming: [{}, { "click.repeat": "count" }],
  commands: (assumptions) =>
    weightedOneOf(
      [
        countsEveryClick(assumptions) ? 1 : 3,
        sequence([fault(doubtful), showing], fc.oneof(event, event, fault(doubtful))),
      ],
      // Clicks are fewer, and of a showing that isn't recorded there is none.
      [
        countsEveryClick(assumptions) ? 4 : 1,
        sequence(
          [showing, fault(applied, ofClicks), click],
          fc.oneof(click, event, fault(applied)),
        ),
      ],
    ),
  judge: (session) => mustNotDouble(session, isInDoubt),
};

export const saidAgainCountsOnce: Rule = {
  id: "said-again-counts-once",
  says: "A showing that is reported twice counts once",
  source: "spec §1, §4",
  commands: () =>
    commandsAfter(
      [anyAdView, again],
      again,
      again,
      anyAdView,
      together(anyAdView, again),
      shortPause,
      flush,
    ),
  judge: (session) =>
    mustNotDouble(
      session,
      ({ operation, asks, recorded }) =>
        operation === "impression" && asks.length > 1 && recorded.length > 0,
    ),
};

/** @throws BrokenRule @returns how many events there were that it is about, and that could count too often. */
function mustNotDouble(session: Session, concerns: (event: EventTask) => boolean): number {
  let applied = 0;
  for (const event of eventsOf(session)) {
    const { name, operation, sent, recorded } = event;
    const extra = concerns(event) ? extraOf(event, session) : undefined;
    if (extra === undefined) continue;
    must(
      extra.length === 0,
      () => {
        const requests = `${sent.length} ${sent.length === 1 ? "request" : "requests"}`;
        const ids = recorded.map(({ id }) => id).join(", ");
        return `The client reported ${name} in ${requests}, and the service has recorded it ${recorded.length} times: ${ids}.`;
      },
      () => onRecord(session, operation, -extra.length),
    );
    applied += 1;
  }
  return applied;
}

function countsEveryClick(assumptions: Assumptions): boolean {
  return assumptions["click.repeat"] === "count";
}

/** Whether something went wrong with it, so that it could have been counted twice. */
export function isInDoubt({ sent }: EventTask): boolean {
  return sent.some(({ fault }) => fault !== undefined);
}

/** Whether nothing came in the way of a request: no fault rule, and no request limit. */
export function wasUndisturbed({ exchanges }: Pick<Session, "exchanges">): boolean {
  return exchanges.every(({ fault, limit }) => fault === undefined && limit === undefined);
}

/** What is on record and shouldn't be; undefined where the readings leave the client nothing that would help. */
function extraOf(
  { operation, asks, recorded }: EventTask,
  session: Session,
): EventTask["recorded"] | undefined {
  const { assumptions } = session;
  if (operation === "click") {
    if (!countsEveryClick(assumptions)) return recorded.slice(1);
    // Nothing identifies a click: what is asked counts, and what the network copies. A client that repeats one doubles it.
    const copies = recorded.filter(({ fault }) => fault?.application === 2).length;
    return recorded.slice(asks.length + copies);
  }
  if (assumptions["dedup.repeat"] === "count") {
    // The service counts whatever is sent, and the spec offers nothing else against it than a session.
    return wasUndisturbed(session) ? recorded.slice(asks.length) : undefined;
  }
  // The spec doesn't say how long a session is remembered. Who comes again after that can't know.
  const windowMs = dedupWindowOf(assumptions);
  return recorded.filter(({ atMs }, at) => atMs - (recorded[at - 1]?.atMs ?? -windowMs) < windowMs);
}
