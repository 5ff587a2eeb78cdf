/** Reads a worker's report, as `adsim play --worker` writes it. */

import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { parseScenario } from "../../play/language/parse/parse-scenario.ts";
import { decodeLatencies } from "../../play/measure/latency-encoding.ts";
import type { PlayedShare } from "../../play/player/merge-shares.ts";
import { jsonIn } from "../../play/targets/control-api.ts";
import { checkShare } from "../../play/targets/play-scenario.ts";
import { couldNotRun, wrongUsage } from "../output/exit.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const operation = v.object({ sent: count, ok: count });
const tally = v.looseObject({
  ...{ sent: count, ok: count, refused: count, failed: count, cut: count, lost: count },
  ...{ timedOut: count, late: count, dropped: count, creditedInr: v.number() },
  statuses: v.record(v.string(), count),
  operations: v.record(v.string(), operation),
});
const instant = v.pipe(v.string(), v.isoTimestamp());
const bucket = v.looseObject({
  ...{ atMs: count, sent: count, ok: count, unanswered: count, creditedInr: v.number() },
  statuses: v.record(v.string(), count),
});

/** What merging reads. The rest is passed on. */
const report = v.looseObject({
  version: v.literal(1),
  ...{ digest: v.string(), startedAt: instant, endedAt: instant },
  target: v.looseObject({ kind: v.literal("service") }),
  steps: v.array(
    v.looseObject({ path: v.string(), verdict: v.string(), tally: v.optional(tally) }),
  ),
  invariants: v.array(v.looseObject({ id: v.string() })),
  skipped: v.array(v.looseObject({ path: v.string() })),
  tally,
  latency: v.optional(v.looseObject({ max: v.number(), mean: v.number() })),
  timeline: v.looseObject({ bucketMs: v.pipe(count, v.minValue(1)), buckets: v.array(bucket) }),
  share: v.looseObject({
    ...{ worker: count, of: count, latencies: v.string(), adsim: v.string() },
    ...{ timeline: v.array(v.string()), publishers: v.array(v.string()) },
    scenario: v.looseObject({}),
  }),
});

/** @throws CommandFailure that names the file and what is wrong with it. */
export async function readShare(file: string): Promise<PlayedShare> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw couldNotRun(`${file} can't be read: ${describeError(error)}.`);
  });
  const value = jsonIn(text);
  const found = v.safeParse(report, value);
  if (found.success) {
    // The cast is safe as far as merging reads. The rest is only shown.
    const share = found.output as unknown as PlayedShare;
    checkRest(file, share);
    return share;
  }
  const isOther = v.is(v.looseObject({ version: v.literal(1), tally: v.unknown() }), value);
  throw wrongUsage(
    isOther && !Object.hasOwn(Object(value), "share")
      ? `${file} is the report of a whole play, not of a worker. Play with --worker NUMBER/COUNT.`
      : `${file} isn't a report that adsim play --worker wrote with --report json=FILE or --json${where(found.issues[0])}.`,
  );
}

function where(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return path === null ? "" : ` (${path} is not as expected)`;
}

/** @throws CommandFailure for a share, a scenario or a histogram that can't be. */
function checkRest(file: string, { share, timeline }: PlayedShare): void {
  try {
    checkShare(share);
    // The worker was allowed to play it.
    parseScenario(share.scenario, { maxRequests: Number.MAX_SAFE_INTEGER });
    if (share.timeline.length !== timeline.buckets.length) throw new Error("Too few histograms.");
    for (const text of [share.latencies, ...share.timeline]) decodeLatencies(text);
  } catch (error) {
    const why =
      error instanceof InputError
        ? `its share or its scenario is wrong: ${error.message}`
        : "its histograms are damaged.";
    throw wrongUsage(`${file}: ${why}`);
  }
}
