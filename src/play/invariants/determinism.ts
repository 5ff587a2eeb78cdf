/** The laws of determinism (R1 to R8), as far as one play can show them. */

import type { FaultRule } from "../../faults/rule.ts";
import { type Playing, performAside } from "../player/effects.ts";
import { type Aside, asideOf, ask, forkOf, freshKey, readLifetime } from "./aside.ts";
import {
  type Evidence,
  elsewhere,
  type Invariant,
  invariant,
  notKnown,
  require,
} from "./evidence.ts";
import { shownTo, untouched } from "./isolation.ts";
import { differing } from "./stats.ts";

export const determinism: readonly Invariant[] = [
  invariant("R1", "The same inputs get the same bytes.", sameTwice),
  invariant(
    "R2",
    "A world that was saved and restored goes on as it would have.",
    elsewhere("needs a snapshot and a second play: the property tests do it"),
  ),
  invariant(
    "R3",
    "A world and one that goes on from it aside don't affect each other.",
    goneOnFrom,
    untouched,
  ),
  invariant(
    "R4",
    "In the process, through MSW and over HTTP the answers are the same.",
    elsewhere("needs a play on each of them: compare the digests"),
  ),
  invariant(
    "R5",
    "Replaying a journal reproduces it.",
    elsewhere("needs a second play: adsim replay does it"),
  ),
  invariant("R6", "A fault rule that never fires changes nothing.", idleRule),
  invariant(
    "R7",
    "A fault before the operation has no effect, a lost response exactly one.",
    lostOnTheWay,
  ),
  invariant(
    "R8",
    "Several servers, each for some of the keys, answer as one does.",
    elsewhere("needs several servers: the property tests do it"),
  ),
];

function* goneOnFrom(evidence: Evidence): Playing<string> {
  if (!evidence.abilities.control) notKnown("the target has no world aside to try it in");
  const forked = yield* forkOf(evidence);
  require(forked === "done", () => forked);
  return "a world aside";
}

function* sameTwice(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const member = aside.members[0] ?? aside.labs[0];
  const first = yield* shownTo(aside, member);
  const second = yield* shownTo(aside, member);
  require(first === second, () => `read twice, ${differing(first, second)}`);
  return "three reads of one publisher twice at one instant, aside";
}

function* withRule<Found>(rule: FaultRule, look: () => Playing<Found>): Playing<Found> {
  const id = yield* performAside<"fault">({ kind: "fault", rule });
  const found = yield* look();
  yield* performAside<"heal">({ kind: "heal", ids: [id] });
  return found;
}

function* idleRule(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const member = aside.members[0] ?? aside.labs[0];
  const without = yield* shownTo(aside, member);
  const rule: FaultRule = {
    match: { nth: Number.MAX_SAFE_INTEGER },
    verdict: { kind: "respond", status: 500 },
  };
  const beside = yield* withRule(rule, () => shownTo(aside, member));
  require(without === beside, () =>
    `beside a rule that never fires, ${differing(without, beside)}`);
  return "three reads of one publisher, aside";
}

function* lostOnTheWay(evidence: Evidence): Playing<string> {
  const aside = yield* asideOf(evidence);
  const dropped = yield* recordedUnder(aside, "drop");
  require(dropped === 0, () => `an impression that was dropped counted ${dropped} times`);
  const lost = yield* recordedUnder(aside, "lose-response");
  require(lost === 1, () => `an impression whose response was lost counted ${lost} times`);
  return "an impression dropped, and one whose response was lost, aside";
}

/** How many impressions count of one that a rule gets in the way of. */
function* recordedUnder(aside: Aside, kind: "drop" | "lose-response"): Playing<number> {
  const [, lab] = aside.labs;
  const surface = lab.surfaces[1]?.id ?? "none";
  yield* freshKey(aside, lab);
  const before = yield* readLifetime(aside, lab);
  const rule: FaultRule = { match: { operation: "impression" }, verdict: { kind } };
  const { outcome } = yield* withRule(rule, () =>
    ask(aside, lab, "impression", { surface, ad_id: `law R7, ${kind}` }),
  );
  if (outcome === "answered") notKnown(`a request under ${kind} was answered`);
  const after = yield* readLifetime(aside, lab);
  return after.impressions - before.impressions;
}
