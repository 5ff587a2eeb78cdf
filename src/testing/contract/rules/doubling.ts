/** Nothing counts twice: what a client sends once more though the service may have done it. */

import fc from "fast-check";
import type { FaultMatch } from "../../../faults/rule.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import { type EventTask, eventsOf } from "../../session/tasks.ts";
import { applied, doubtful, fault } from "../disturbances.ts";
import { must, onRecord, type Rule } from "../rule.ts";
import { click, event, sequence, showing } from "../sequences.ts";

const MINUTE_MS = 60_000;
const ofClicks: fc.Arbitrary<FaultMatch> = fc.constantFrom(
  { operation: "click", times: 1 },
  { operation: "click" },
);
const windowMs = {
  "30m": 30 * MINUTE_MS,
  "24h": 24 * 60 * MINUTE_MS,
  forever: Number.POSITIVE_INFINITY,
} satisfies Record<Assumptions["dedup.window"], number>;

export const noEventDoubled: Rule = {
  id: "no-event-doubled",
  says: "No showing and no click counts twice, whatever becomes of the answer",
  source: "spec §4",
  needs: [],
  // Under the other readings nobody sees that a click was repeated, and the spec promises none of them.
  assuming: [{}, { "click.repeat": "count" }],
  commands: (assumptions) =>
    fc.oneof(
      {
        arbitrary: sequence([fault(doubtful), showing], fc.oneof(event, event, fault(doubtful))),
        weight: showsClicks(assumptions) ? 1 : 3,
      },
      {
        // Clicks are fewer, and of a showing that isn't recorded there is none.
        arbitrary: sequence(
          [showing, fault(applied, ofClicks), click],
          fc.oneof(click, event, fault(applied)),
        ),
        weight: showsClicks(assumptions) ? 4 : 1,
      },
    ),
  judge(session) {
    const { assumptions } = session;
    let applied = 0;
    for (const one of eventsOf(session)) {
      const most = mostOnRecord(one, assumptions);
      if (most === undefined || !isInDoubt(one)) continue;
      const ids = new Set(countedInWindow(one, assumptions).map(({ id }) => id));
      must(
        ids.size <= most,
        () => {
          const sent = `in ${one.sent.length} ${one.sent.length === 1 ? "request" : "requests"}`;
          return `The client reported ${one.name} ${sent}, and the service has recorded it ${ids.size} times: ${[...ids].join(", ")}.`;
        },
        () => onRecord(session, one.operation, most - ids.size),
      );
      applied += 1;
    }
    return applied;
  },
};

function showsClicks(assumptions: Assumptions): boolean {
  return assumptions["click.repeat"] === "count";
}

/** Whether something went wrong with it, so that it could have been counted twice. */
export function isInDoubt({ sent }: EventTask): boolean {
  return sent.some(({ fault }) => fault !== undefined);
}

/** How often it may count; undefined where the readings leave the client nothing that would help. */
function mostOnRecord(
  { operation, asks, recorded }: EventTask,
  assumptions: Assumptions,
): number | undefined {
  if (operation === "impression") {
    // The service counts whatever is sent, and the spec offers nothing else against it than a session.
    return assumptions["dedup.repeat"] === "count" ? undefined : 1;
  }
  if (!showsClicks(assumptions)) return 1;
  // Nothing identifies a click: what is asked counts, and what the network copies. A client that repeats one doubles it.
  return asks.length + recorded.filter(({ fault }) => fault?.application === 2).length;
}

/** The spec doesn't say how long a session is remembered. Who comes again after that can't know. */
function countedInWindow(
  { operation, recorded }: EventTask,
  assumptions: Assumptions,
): EventTask["recorded"] {
  const [first] = recorded;
  if (operation === "click" || first === undefined) return recorded;
  const untilMs = first.atMs + windowMs[assumptions["dedup.window"]];
  return recorded.filter(({ atMs }) => atMs < untilMs);
}
