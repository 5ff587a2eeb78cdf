/** Reads a worker's report, as `adsim play --worker` writes it. */

import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { jsonIn } from "../../base/parse-json.ts";
import { parseScenario } from "../../play/language/parse/parse-scenario.ts";
import { decodeLatencies } from "../../play/measure/latency-encoding.ts";
import { addsUp } from "../../play/measure/tally.ts";
import { type PlayedShare, partAt } from "../../play/player/merge-shares.ts";
import { checkShare } from "../../play/targets/play-scenario.ts";
import { couldNotRun, wrongUsage } from "../output/exit.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const verdicts = ["held", "broken", "unknown"] as const;
const status = v.pipe(v.string(), v.regex(/^[1-9]\d\d$/));
const operation = v.object({ sent: count, ok: count });
const tally = v.looseObject({
  ...{ sent: count, ok: count, refused: count, failed: count, cut: count, lost: count },
  ...{ timedOut: count, late: count, dropped: count, creditedInr: v.number() },
  statuses: v.record(status, count),
  operations: v.record(v.string(), operation),
});
const instant = v.pipe(v.string(), v.isoTimestamp());
const bucket = v.looseObject({
  ...{ atMs: count, sent: count, ok: count, unanswered: count, creditedInr: v.number() },
  statuses: v.record(status, count),
});

/** What merging reads. The rest is passed on. */
const report = v.looseObject({
  version: v.literal(1),
  ...{ digest: v.string(), startedAt: instant, endedAt: instant },
  target: v.looseObject({ kind: v.literal("service") }),
  scenario: v.looseObject({ name: v.string(), about: v.string() }),
  steps: v.array(
    v.looseObject({
      ...{ path: v.string(), kind: v.string(), title: v.string(), at: instant, times: count },
      ...{ verdict: v.picklist([...verdicts, "done", "skipped"]), why: v.optional(v.string()) },
      checks: v.array(
        v.looseObject({ about: v.string(), expected: v.string(), found: v.string() }),
      ),
      tally: v.optional(tally),
    }),
  ),
  invariants: v.array(
    v.looseObject({
      ...{ id: v.string(), says: v.string() },
      ...{ verdict: v.picklist(verdicts), why: v.optional(v.string()) },
    }),
  ),
  skipped: v.array(v.looseObject({ path: v.string(), why: v.string() })),
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

/** @throws CommandFailure for a share, a scenario or a histogram that can't be, and for figures that disagree. */
function checkRest(file: string, played: PlayedShare): void {
  const { share, timeline } = played;
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
  const wrong = contradiction(played);
  if (wrong !== undefined) throw wrongUsage(`${file} was changed, or is incomplete: ${wrong}.`);
}

/** What in a report doesn't agree with the rest of it. */
function contradiction({ share, tally, timeline, steps }: PlayedShare): string | undefined {
  const paths = steps.map(({ path }) => path);
  const unplayed = share.scenario.steps.findIndex((_, index) => !paths.includes(`steps.${index}`));
  if (unplayed !== -1) return `it has no result of steps.${unplayed}`;
  const strange = paths.find((path) => typeof partAt(share.scenario, path) !== "object");
  if (strange !== undefined) return `its scenario has no ${strange}`;
  const wrong = [{ path: "the whole", tally }, ...steps].find(
    (one) => one.tally !== undefined && !addsUp(one.tally),
  );
  if (wrong !== undefined) return `the counts of ${wrong.path} don't add up`;
  const measured = decodeLatencies(share.latencies).toHistogram().totalCount;
  if (measured !== tally.sent) return `it has ${tally.sent} requests and ${measured} latencies`;
  const charted = timeline.buckets.reduce((sum, { sent }) => sum + sent, 0);
  if (charted !== tally.sent)
    return `it has ${tally.sent} requests, and ${charted} in its timeline`;
  return undefined;
}
