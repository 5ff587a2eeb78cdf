/** The laws of determinism (R1 to R8). */

import type { FaultRule } from "../faults/rule.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import { halfOf, newWorld } from "./again.ts";
import { ask, type Copy, copyOf, forkOf, freshKey } from "./copy.ts";
import { readLifetime } from "./figures.ts";
import { shownTo, untouched } from "./isolation-laws.ts";
import { inconclusive, type Law, type Looked, looks, require, requireSame } from "./law.ts";
import { groupsOf, type Rerun, rerunning, sameAnswers, sameState } from "./second.ts";

const byReplay = "needs a second play: adsim replay does it";

export const determinismLaws: readonly Law[] = [
  {
    id: "R1",
    says: "The same inputs get the same bytes.",
    tried: sameTwice,
    again: rerunning(playedTwice),
  },
  {
    id: "R2",
    says: "A world that was saved and restored goes on as it would have.",
    again: rerunning(restoredHalfway),
    needs: "needs a snapshot and a second play: the property tests do it",
  },
  {
    id: "R3",
    says: "A world and one that goes on from it aside don't affect each other.",
    tried: looks(goneOnFrom, untouched),
    again: rerunning(forkedHalfway),
  },
  {
    id: "R4",
    says: "In the process, through MSW and over HTTP the answers are the same.",
    elsewhere: "needs a play on each of them: compare the digests",
  },
  {
    id: "R5",
    says: "Replaying a journal reproduces it.",
    again: journalReplayed,
    needs: byReplay,
  },
  {
    id: "R6",
    says: "A fault rule that never fires changes nothing.",
    tried: idleRule,
    again: rerunning(besideIdleRule),
  },
  {
    id: "R7",
    says: "A fault before the operation has no effect, a lost response exactly one.",
    tried: lostOnTheWay,
  },
  {
    id: "R8",
    says: "Several servers, each for some of the keys, answer as one does.",
    again: rerunning(twoServers),
    needs: "needs several servers: the property tests do it",
  },
];

function sameTwice(played: Looked): string {
  const copy = copyOf(played);
  const member = copy.members[0] ?? copy.labs[0];
  requireSame(shownTo(copy, member), shownTo(copy, member), "read twice");
  return "three reads of one publisher twice at one instant, aside";
}

function playedTwice(rerun: Rerun): string {
  const [one, other] = [rerun.straight(), rerun.play({})];
  sameAnswers(rerun, one.answers, other.answers, "the second time");
  sameState(one.sim, other.sim, "played twice");
  return "twice, in two new worlds";
}

function restoredHalfway(rerun: Rerun): string {
  const half = halfOf(rerun.again);
  const through = rerun.play({
    between(sim, place) {
      if (place !== half) return sim;
      const restored = newWorld(rerun.again);
      // Through JSON: a snapshot must not share anything with its origin.
      restored.restore(JSON.parse(JSON.stringify(sim.snapshot())));
      return restored;
    },
  });
  sameAnswers(rerun, rerun.straight().answers, through.answers, "in a world restored halfway");
  sameState(rerun.straight().sim, through.sim, "saved and restored halfway");
  return "straight on, and saved and restored halfway";
}

function goneOnFrom(played: Looked): string {
  const forked = forkOf(played);
  require(typeof forked !== "string", () => String(forked));
  return "a world aside";
}

/** A fork goes on from halfway, and afterwards its origin does. */
function forkedHalfway(rerun: Rerun): string {
  const half = halfOf(rerun.again);
  let origin: { readonly sim: SimulatorCore; readonly state: string } | undefined;
  const forked = rerun.play({
    between(sim, place) {
      if (place !== half) return sim;
      origin = { sim, state: JSON.stringify(sim.snapshot()) };
      return sim.fork();
    },
  });
  const { answers } = rerun.straight();
  sameAnswers(rerun, answers, forked.answers, "in a fork made halfway");
  if (origin === undefined) return inconclusive("nothing was sent");
  require(JSON.stringify(origin.sim.snapshot()) === origin.state, () =>
    "what was done in a fork shows in its origin");
  const after = JSON.stringify(forked.sim.snapshot());
  const { sim: left } = origin;
  const continued = rerun.play({
    between: (sim, place) => (place === half ? left : sim),
    only: (_, place) => place >= half,
  });
  sameAnswers(rerun, answers, continued.answers, "in the origin of a fork made halfway");
  require(JSON.stringify(forked.sim.snapshot()) === after, () =>
    "what was done in an origin shows in its fork");
  return "straight on, in a fork from halfway on, and in its origin";
}

/** The recording itself, sent again: whoever has one says how. */
function journalReplayed({ again }: Looked): string {
  if (typeof again === "string") return inconclusive(again);
  if (again.deeds.length === 0) inconclusive("nothing was sent that could be played again");
  return again.replayed?.() ?? inconclusive(byReplay);
}

const idle: FaultRule = {
  match: { nth: Number.MAX_SAFE_INTEGER },
  verdict: { kind: "respond", status: 500 },
};

function idleRule(played: Looked): string {
  const copy = copyOf(played);
  const member = copy.members[0] ?? copy.labs[0];
  const without = shownTo(copy, member);
  const beside = withRule(copy, idle, () => shownTo(copy, member));
  requireSame(without, beside, "beside a rule that never fires");
  return "three reads of one publisher, aside";
}

function besideIdleRule(rerun: Rerun): string {
  const beside = rerun.play({ options: { ...rerun.again.options, faults: [idle] } });
  sameAnswers(rerun, rerun.straight().answers, beside.answers, "beside a rule that never fires");
  return "with a fault rule that never fires and without";
}

function withRule<Found>({ sim }: Copy, rule: FaultRule, look: () => Found): Found {
  const added = sim.faults.add(rule);
  const found = look();
  sim.faults.remove(added.rule.id);
  return found;
}

function lostOnTheWay(played: Looked): string {
  const copy = copyOf(played);
  const dropped = recordedUnder(copy, "drop");
  require(dropped === 0, () => `an impression that was dropped counted ${dropped} times`);
  const lost = recordedUnder(copy, "lose-response");
  require(lost === 1, () => `an impression whose response was lost counted ${lost} times`);
  return "an impression dropped, and one whose response was lost, aside";
}

/** How many impressions count of one that a rule gets in the way of. */
function recordedUnder(copy: Copy, kind: "drop" | "lose-response"): number {
  const [, lab] = copy.labs;
  const surface = lab.surfaces[1]?.id ?? "none";
  freshKey(copy, lab);
  const before = readLifetime(copy, lab);
  const rule: FaultRule = { match: { operation: "impression" }, verdict: { kind } };
  const { outcome } = withRule(copy, rule, () =>
    ask(copy, lab, "impression", { surface, ad_id: `law R7, ${kind}` }),
  );
  if (outcome === "answered") inconclusive(`a request under ${kind} was answered`);
  const after = readLifetime(copy, lab);
  return after.impressions - before.impressions;
}

/** The senders shared out to two servers. Whose keys were used for one another are on one. */
function twoServers(rerun: Rerun): string {
  const groups = groupsOf(rerun, "key");
  for (const server of [0, 1]) {
    const own = groups.filter((_, index) => index % 2 === server);
    const alone = rerun.play({
      only: (deed, place) => own.some(({ isTheirs }) => isTheirs(deed, place)),
    });
    sameAnswers(rerun, rerun.straight().answers, alone.answers, `of server ${server + 1} of 2`);
  }
  return `${groups.length} keys, on two servers and on one`;
}
