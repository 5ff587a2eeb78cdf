/**
 * A world with fault rules, and the same world without them. The second gets only what reached the service, as often as it
 * got there. The service must treat a request the same in both.
 */

import type { FaultRule } from "../../../src/faults/rule.ts";
import type { Verdict } from "../../../src/faults/verdict.ts";
import { createSimulator, type Simulator, type Snapshot } from "../../../src/index.ts";
import { snapshotDigest } from "../../../src/world/accounts/snapshot.ts";
import type { Beliefs } from "./client.ts";
import type { PlannedRule, WorldOptions } from "./commands.ts";
import { noTruth, type Returning, type Truth } from "./expectation.ts";

export interface Stage {
  sim: Simulator;
  /** Without rules, and without rounding: the same ids, and every credit to the micro. */
  mirror: Simulator;
  readonly options: WorldOptions;
  readonly sometimes: (place: string) => void;
  /** By the id of the rule. */
  readonly verdicts: Map<string, Verdict>;
  truth: Truth;
  beliefs: Beliefs;
  /** Responses that were given up on by the client and are still on their way. */
  inFlight: (Returning & { undelivered(): void })[];
  saved: Saved | undefined;
  deadKey: string | undefined;
}

interface Saved {
  readonly sim: Snapshot;
  readonly mirror: Snapshot;
  readonly truth: Truth;
  readonly beliefs: Beliefs;
}

export function stageOf(
  options: WorldOptions,
  rules: readonly PlannedRule[],
  sometimes: (place: string) => void,
): Stage {
  const { seed, publishers, profile, assumptions } = options;
  const mirror = createSimulator({
    seed,
    publishers,
    profile,
    assumptions: { ...assumptions, "money.precision": "exact" },
  });
  const verdicts = new Map<string, Verdict>();
  const faults = rules.map((planned) => ruleOf(planned, mirror, verdicts));
  return {
    sim: createSimulator({ seed, publishers, profile, assumptions, faults }),
    mirror,
    options,
    sometimes,
    verdicts,
    truth: noTruth(),
    beliefs: {},
    inFlight: [],
    saved: undefined,
    deadKey: undefined,
  };
}

export function addRule(stage: Stage, planned: PlannedRule): void {
  stage.sim.faults.add(ruleOf(planned, stage.mirror, stage.verdicts));
}

function ruleOf(planned: PlannedRule, sim: Simulator, verdicts: Map<string, Verdict>): FaultRule {
  const { rule, publisher, onFirstSurface } = planned;
  const id = `r${verdicts.size}`;
  verdicts.set(id, rule.verdict);
  const [first] = sim.publishers.credentials(1);
  const surface = onFirstSurface ? first?.surfaces[0]?.id : undefined;
  const named = publisher === undefined ? undefined : publisherAt(sim, publisher).id;
  return { ...rule, id, match: { ...rule.match, publisher: named, surface } };
}

export function publisherAt(
  sim: Simulator,
  place: number,
): { readonly id: string; readonly apiKey: string; readonly surfaces: readonly { id: string }[] } {
  const all = sim.publishers.credentials(3);
  const found = all[place % all.length];
  if (found === undefined) throw new Error("There is no publisher.");
  return found;
}

export function land(stage: Stage): void {
  for (const { undelivered, giveUp } of stage.inFlight.splice(0)) {
    undelivered();
    giveUp();
    stage.sometimes("undelivered long after");
  }
}

export function snapshot(stage: Stage): void {
  const { sim, mirror, truth, beliefs } = stage;
  stage.saved = structuredClone({
    sim: sim.snapshot(),
    mirror: mirror.snapshot(),
    truth,
    beliefs,
  });
}

export function restore(stage: Stage): void {
  const { saved } = stage;
  if (saved === undefined) return;
  const { sim, mirror, truth, beliefs } = structuredClone(saved);
  stage.sim.restore(sim);
  stage.mirror.restore(mirror);
  Object.assign(stage, { truth, beliefs });
  if (Object.keys(truth.lines).length > 0) stage.sometimes("a restored snapshot with counts");
}

export function fork(stage: Stage): void {
  stage.sim = stage.sim.fork();
  stage.mirror = stage.mirror.fork();
  // What is on its way belongs to the origin.
  stage.truth = structuredClone(stage.truth);
  if (Object.keys(stage.truth.lines).length > 0) stage.sometimes("a fork with counts");
}

export function reset(stage: Stage): void {
  stage.sim.reset();
  stage.mirror.reset();
  Object.assign(stage, { truth: noTruth(), beliefs: {} });
}

/** Uses up a publisher's requests of the running minute. */
export function fill(stage: Stage, place: number): void {
  const both = [stage.sim.snapshot(), stage.mirror.snapshot()];
  const window = Math.floor(stage.sim.clock.now() / 60_000);
  const filled = both.map((one) => filledBucket(one, place % one.publishers, window));
  const [sim, mirror] = filled;
  if (sim === undefined || mirror === undefined) return;
  stage.sim.restore(sim);
  stage.mirror.restore(mirror);
  stage.truth = structuredClone(stage.truth);
}

function filledBucket(from: Snapshot, ordinal: number, window: number): Snapshot | undefined {
  if (!from.accounts.some((account) => account.ordinal === ordinal)) return undefined;
  const accounts = from.accounts.map((account) =>
    account.ordinal === ordinal
      ? { ...account, buckets: { ...account.buckets, recording: { window, used: 10_000 } } }
      : account,
  );
  const edited = { ...from, accounts };
  return { ...edited, digest: snapshotDigest(edited) };
}

/** The state but for what faults leave in it: their rules, the tallies, and accounts that nothing else happened to. */
export function stateIn({ accounts, ...rest }: Snapshot): string {
  const touched = accounts.filter(
    ({ book, keySerial, buckets }) =>
      book.count > 0 ||
      keySerial > 0 ||
      Object.values(buckets).some((bucket) => "used" in bucket && bucket.used > 0),
  );
  return JSON.stringify({ ...rest, accounts: touched }, (name, value) =>
    ofFaults.has(name) ? undefined : value,
  );
}

const ofFaults: ReadonlySet<string> = new Set([
  "tally",
  "withoutKey",
  "digest",
  "faults",
  // The mirror doesn't round.
  "assumptions",
]);
