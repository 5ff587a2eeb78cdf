/** The invariants of isolation and of saved state (A4 and R2). */

import type { OperationId } from "../spec/operations.ts";
import { ensureSame, inconclusive } from "./ensure.ts";
import type { Invariant } from "./invariant.ts";
import {
  ask,
  bytesOf,
  impressionOf,
  outcomeOf,
  ownCopyOf,
  renewKey,
  type WorldCopy,
  waitIn,
} from "./world-copy.ts";

export const isolationInvariants: readonly Invariant[] = [
  {
    id: "A4",
    says: "If foreign publishers get 404, the bytes are those for a publisher that doesn't exist.",
    tried: maskedPublishers,
  },
  {
    id: "R2",
    says: "A world that is saved and restored goes on as if it had not been.",
    tried: savedAndRestored,
  },
];

const reads = ["stats", "surfaces", "payouts"] as const satisfies readonly OperationId[];

function maskedPublishers(copy: WorldCopy): string {
  const { assumptions, probes } = copy;
  if (assumptions["auth.key-scope"] !== "publisher-hidden")
    inconclusive("foreign publishers don't get 404 under the assumptions in force");
  const [probe, other] = probes;
  const last = other.id.slice(-1) === "0" ? "1" : "0";
  const nobody = other.id.slice(0, -1) + last;
  for (const operation of reads) {
    const [nonexistent = "", foreign = ""] = [nobody, other.id].map((publisher_id) => {
      renewKey(copy, probe);
      return bytesOf(ask(copy, probe, operation, { publisher_id }));
    });
    const what = `${operation} of a publisher that doesn't exist and of a foreign one`;
    ensureSame(nonexistent, foreign, what);
  }
  return "three operations, in a copy of the world";
}

/** A snapshot of more takes too long. */
const MAX_IMPRESSIONS = 20_000;
const DAY_MS = 86_400_000;

function savedAndRestored(played: WorldCopy): string {
  const copy = ownCopyOf(played);
  const { sim } = copy;
  if (sim.usage().impressions > MAX_IMPRESSIONS) inconclusive("the world is too large to be saved");
  const [probe] = copy.probes;
  const impression = impressionOf(probe, "R2");
  const impression_id = outcomeOf(ask(copy, probe, "impression", impression));
  // Repeats and refers to what was done before, and lets a day pass.
  const goOn = (): string => {
    const answers = [
      ask(copy, probe, "impression", impression),
      ask(copy, probe, "impression", impressionOf(probe, "R2, later")),
      ask(copy, probe, "click", { impression_id }),
    ];
    waitIn(copy, DAY_MS);
    for (const operation of reads) answers.push(ask(copy, probe, operation));
    return answers.map(bytesOf).join("\n");
  };
  // Through JSON: a snapshot must not share anything with its origin.
  const saved = JSON.parse(JSON.stringify(sim.snapshot()));
  const straight = goOn();
  const end = JSON.stringify(sim.snapshot());
  sim.restore(saved);
  ensureSame(straight, goOn(), "after it was restored");
  ensureSame(end, JSON.stringify(sim.snapshot()), "the state after it was restored");
  return "what follows a snapshot, straight on and restored, in a copy of the world";
}
