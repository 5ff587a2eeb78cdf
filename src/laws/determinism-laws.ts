/** The laws of determinism (R1 to R8). */

import type { FaultRule } from "../faults/rule.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import { readLifetime } from "./figures.ts";
import { playedWorldUntouched, readAs } from "./isolation-laws.ts";
import { ensure, ensureSame, inconclusive, type Law, type LawContext } from "./law.ts";
import { ensureSameAnswers, ensureSameState, groupsOf, type Rerun, rerunCheck } from "./rerun.ts";
import { halfwayPlace, newWorld } from "./rerun-plan.ts";
import { ask, copyOf, forkOf, freshKey, viewOf, type WorldCopy } from "./world-copy.ts";

const byReplay = "needs a second play: adsim replay does it";

export const determinismLaws: readonly Law[] = [
  {
    id: "R1",
    says: "The same inputs get the same bytes.",
    checkCopy: sameTwice,
    checkRerun: rerunCheck(playedTwice),
  },
  {
    id: "R2",
    says: "A world that is saved and restored goes on as if it had not been.",
    checkRerun: rerunCheck(restoredHalfway),
    withoutRerun: "needs a snapshot and a second play: the property tests do it",
  },
  {
    id: "R3",
    says: "A world and a fork of it don't affect each other.",
    checkCopy: [worldForks, playedWorldUntouched],
    checkRerun: rerunCheck(forkedHalfway),
  },
  {
    id: "R4",
    says: "Answers are the same in the process, through MSW and over HTTP.",
    notCheckedHere: "needs a play on each of the three: compare their digests",
  },
  {
    id: "R5",
    says: "Replaying a journal reproduces it.",
    checkRerun: journalReplayed,
    withoutRerun: byReplay,
  },
  {
    id: "R6",
    says: "A fault rule that never fires changes nothing.",
    checkCopy: idleRule,
    checkRerun: rerunCheck(besideIdleRule),
  },
  {
    id: "R7",
    says: "A fault before the operation leaves no effect. A lost response leaves exactly one.",
    checkCopy: lostOnTheWay,
  },
  {
    id: "R8",
    says: "Several servers that each serve some of the keys answer as one server does.",
    checkRerun: rerunCheck(twoServers),
    withoutRerun: "needs several servers: the property tests do it",
  },
];

function sameTwice(played: LawContext): string {
  const copy = copyOf(played);
  const member = copy.members[0] ?? copy.probes[0];
  ensureSame(readAs(copy, member), readAs(copy, member), "read twice");
  return "three reads of one publisher twice at one instant, in a copy of the world";
}

function playedTwice(rerun: Rerun): string {
  const [one, other] = [rerun.unchanged(), rerun.playWith({})];
  ensureSameAnswers(rerun, one.answers, other.answers, "the second time");
  ensureSameState(one.sim, other.sim, "played twice");
  return "twice, in two new worlds";
}

function restoredHalfway(rerun: Rerun): string {
  const half = halfwayPlace(rerun.plan);
  const through = rerun.playWith({
    between(sim, place) {
      if (place !== half) return sim;
      const restored = newWorld(rerun.plan);
      // Through JSON: a snapshot must not share anything with its origin.
      restored.restore(JSON.parse(JSON.stringify(sim.snapshot())));
      return restored;
    },
  });
  ensureSameAnswers(
    rerun,
    rerun.unchanged().answers,
    through.answers,
    "in a world restored halfway",
  );
  ensureSameState(rerun.unchanged().sim, through.sim, "saved and restored halfway");
  return "played straight through, and saved and restored halfway";
}

function worldForks(played: LawContext): string {
  const forked = forkOf(played);
  ensure(typeof forked !== "string", () => String(forked));
  return "a fork of the world";
}

/** Continues in a fork from halfway on, and afterwards in its origin. */
function forkedHalfway(rerun: Rerun): string {
  const half = halfwayPlace(rerun.plan);
  let origin: { readonly sim: SimulatorCore; readonly state: string } | undefined;
  const forked = rerun.playWith({
    between(sim, place) {
      if (place !== half) return sim;
      origin = { sim, state: JSON.stringify(sim.snapshot()) };
      return sim.fork();
    },
  });
  const { answers } = rerun.unchanged();
  ensureSameAnswers(rerun, answers, forked.answers, "in a fork made halfway");
  if (origin === undefined) return inconclusive("nothing was sent");
  ensure(
    JSON.stringify(origin.sim.snapshot()) === origin.state,
    () => "what was done in a fork changed its origin",
  );
  const after = JSON.stringify(forked.sim.snapshot());
  const { sim: left } = origin;
  const continued = rerun.playWith({
    between: (sim, place) => (place === half ? left : sim),
    only: (_, place) => place >= half,
  });
  ensureSameAnswers(rerun, answers, continued.answers, "in the origin of a fork made halfway");
  ensure(
    JSON.stringify(forked.sim.snapshot()) === after,
    () => "what was done in an origin changed its fork",
  );
  return "played straight through, in a fork made halfway, and in its origin";
}

function journalReplayed({ rerunPlan }: LawContext): string {
  if (typeof rerunPlan === "string") return inconclusive(rerunPlan);
  if (rerunPlan.actions.length === 0) inconclusive("nothing was sent that could be played again");
  return rerunPlan.replay?.() ?? inconclusive(byReplay);
}

const idle: FaultRule = {
  match: { nth: Number.MAX_SAFE_INTEGER },
  verdict: { kind: "respond", status: 500 },
};

function idleRule(played: LawContext): string {
  const copy = copyOf(played);
  const member = copy.members[0] ?? copy.probes[0];
  const without = readAs(copy, member);
  const beside = withRule(copy, idle, () => readAs(copy, member));
  ensureSame(without, beside, "with a fault rule that never fires");
  return "three reads of one publisher, in a copy of the world";
}

function besideIdleRule(rerun: Rerun): string {
  const beside = rerun.playWith({ options: { ...rerun.plan.options, faults: [idle] } });
  ensureSameAnswers(
    rerun,
    rerun.unchanged().answers,
    beside.answers,
    "with a fault rule that never fires",
  );
  return "with and without a fault rule that never fires";
}

function withRule<Found>({ sim }: WorldCopy, rule: FaultRule, look: () => Found): Found {
  const added = sim.faults.add(rule);
  const found = look();
  sim.faults.remove(added.rule.id);
  return found;
}

function lostOnTheWay(played: LawContext): string {
  const copy = copyOf(played);
  const dropped = recordedUnder(copy, "drop");
  ensure(dropped === 0, () => `an impression that was dropped counted ${dropped} times`);
  const lost = recordedUnder(copy, "lose-response");
  ensure(lost === 1, () => `an impression whose response was lost counted ${lost} times`);
  return "an impression dropped, and one whose response was lost, in a copy of the world";
}

/** How many impressions count when a rule of this kind hits one. */
function recordedUnder(copy: WorldCopy, kind: "drop" | "lose-response"): number {
  const [, probe] = copy.probes;
  freshKey(copy, probe);
  const before = readLifetime(copy, probe);
  const rule: FaultRule = { match: { operation: "impression" }, verdict: { kind } };
  const { outcome } = withRule(copy, rule, () =>
    ask(copy, probe, "impression", viewOf(probe, `law R7, ${kind}`, 1)),
  );
  if (outcome === "answered") inconclusive(`a request under ${kind} was answered`);
  const after = readLifetime(copy, probe);
  return after.impressions - before.impressions;
}

/** Splits the senders between two servers. Senders whose keys were used for each other stay together. */
function twoServers(rerun: Rerun): string {
  const groups = groupsOf(rerun, "key");
  for (const server of [0, 1]) {
    const own = groups.filter((_, index) => index % 2 === server);
    const alone = rerun.playWith({
      only: (action, place) => own.some((isFromGroup) => isFromGroup(action, place)),
    });
    ensureSameAnswers(
      rerun,
      rerun.unchanged().answers,
      alone.answers,
      `of server ${server + 1} of 2`,
    );
  }
  return `${groups.length} keys, on two servers and on one`;
}
