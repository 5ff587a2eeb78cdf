/**
 * A world with fault rules, and the same world without them. The second gets only what reached the service, as often as it
 * got there. The service must treat a request the same in both.
 */

import { expect } from "vitest";
import type { FaultRule } from "../../../src/faults/rule.ts";
import type { Verdict } from "../../../src/faults/verdict.ts";
import {
  type Assumptions,
  createSimulator,
  type Simulator,
  type Snapshot,
} from "../../../src/index.ts";
import { expectEqual } from "../../oracle/check.ts";
import type { PlannedRule } from "./commands.ts";
import { linesOf, noTruth, type Truth } from "./expectation.ts";

export interface Stage {
  sim: Simulator;
  /** Without rules. */
  mirror: Simulator;
  readonly sometimes: (place: string) => void;
  /** By the id of the rule. */
  readonly verdicts: Map<string, Verdict>;
  truth: Truth;
  /** What happens to responses that the client gave up on and that are still on their way. */
  readonly inFlight: (() => void)[];
  saved: { readonly sim: Snapshot; readonly mirror: Snapshot; readonly truth: Truth } | undefined;
  /** One that was rotated away, or that nobody ever had. */
  deadKey: string;
}

const noKey = "key_0000000000000";

export function stageOf(
  assumptions: Assumptions,
  rules: readonly PlannedRule[],
  sometimes: (place: string) => void,
): Stage {
  const options = { publishers: 2, profile: "tiny", assumptions } as const;
  const stage: Stage = {
    sim: createSimulator(options),
    mirror: createSimulator(options),
    sometimes,
    verdicts: new Map(),
    truth: noTruth(),
    inFlight: [],
    saved: undefined,
    deadKey: noKey,
  };
  for (const planned of rules) addRule(stage, planned);
  return stage;
}

export function addRule({ sim, verdicts }: Stage, { rule, publisher }: PlannedRule): void {
  const id = `r${verdicts.size}`;
  verdicts.set(id, rule.verdict);
  const named = publisher === undefined ? undefined : sim.publishers.at(publisher).id;
  const placed: FaultRule = { ...rule, id, match: { ...rule.match, publisher: named } };
  sim.faults.add(placed);
}

export function land({ inFlight, sometimes }: Stage): void {
  for (const giveUp of inFlight.splice(0)) {
    giveUp();
    sometimes("undelivered long after");
  }
}

export function snapshot(stage: Stage): void {
  const { sim, mirror, truth } = stage;
  stage.saved = structuredClone({ sim: sim.snapshot(), mirror: mirror.snapshot(), truth });
}

export function restore(stage: Stage): void {
  if (stage.saved === undefined) return;
  const { sim, mirror, truth } = structuredClone(stage.saved);
  stage.sim.restore(sim);
  stage.mirror.restore(mirror);
  // A key that was rotated away since the snapshot is valid again.
  Object.assign(stage, { truth, deadKey: noKey });
  if (truth.attempts.length > 0) stage.sometimes("a restored snapshot with counts");
}

export function fork(stage: Stage): void {
  stage.sim = stage.sim.fork();
  stage.mirror = stage.mirror.fork();
  // What is on its way belongs to the origin.
  stage.truth = structuredClone(stage.truth);
  if (stage.truth.attempts.length > 0) stage.sometimes("a fork with counts");
}

export function reset(stage: Stage): void {
  stage.sim.reset();
  stage.mirror.reset();
  Object.assign(stage, { truth: noTruth(), deadKey: noKey });
}

/** Compares the audit with the truth, and the state with that of the world without rules. */
export function judge({ sim, mirror, truth: { attempts } }: Stage): void {
  const audit = sim.audit();
  expectEqual("what disagrees", audit.discrepancies, []);
  expectEqual("the state (R7)", stateIn(sim.snapshot()), stateIn(mirror.snapshot()));
  const publishers = new Set(attempts.map(({ publisher }) => publisher).filter(Boolean));
  const told = audit.publishers.map(({ publisher }) => publisher);
  expectEqual("who had requests", told.toSorted(), [...publishers].toSorted());
  for (const line of [{ ...audit.withoutKey, publisher: "" }, ...audit.publishers]) {
    const own = attempts.filter(({ publisher }) => publisher === line.publisher);
    expect(line).toMatchObject(linesOf(own));
  }
  expect(audit.total).toMatchObject(linesOf(attempts));
}

/** The state but for what faults leave in it: their rules, the tallies, and accounts that nothing else happened to. */
function stateIn({ accounts, ...rest }: Snapshot): string {
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

const ofFaults: ReadonlySet<string> = new Set(["tally", "withoutKey", "digest", "faults"]);
