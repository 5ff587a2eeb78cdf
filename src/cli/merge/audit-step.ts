/** Compares what workers say they sent with what the targets' audits counted. */

import type { AuditFigures } from "../../audit/audit.ts";
import { plural } from "../../play/measure/quantities.ts";
import { check, verdictOf } from "../../play/player/matching.ts";
import type { Check, PlayResult, StepResult } from "../../play/player/result.ts";
import { createControlApi } from "../../play/targets/control-api.ts";
import { createHttpClient, LARGEST_BODY_BYTES } from "../../play/targets/http-client.ts";
import type { TargetUrl } from "../../play/targets/target-url.ts";
import { readReplicaUrls } from "../fleet/replica-urls.ts";
import { sumOfAudits } from "../fleet/sum-audits.ts";
import { failureAtTarget } from "../output/exit.ts";

/** The targets must have been without requests before. @throws CommandFailure if one gives no audit. */
export async function auditStep(
  { tally, endedAt }: Pick<PlayResult, "tally" | "endedAt">,
  urls: readonly string[],
  token: string | undefined,
): Promise<StepResult> {
  const targets = readReplicaUrls(urls);
  const audit = sumOfAudits(await Promise.all(targets.map((target) => auditAt(target, token))));
  const { impressions, clicks } = audit.total;
  const { impression, click } = tally.operations;
  // A request without an answer may have arrived or not.
  const open = tally.cut + tally.lost + tally.timedOut;
  const checks = [
    counted("impressions that arrived", impressions.attempts, impression?.sent ?? 0, open),
    counted("clicks that arrived", clicks.attempts, click?.sent ?? 0, open),
    check(
      audit.balanced ? "held" : "broken",
      "the books",
      "balanced",
      audit.balanced ? "balanced" : audit.discrepancies.join("; "),
    ),
  ];
  return {
    path: "audit",
    kind: "expect",
    title: `audit of ${plural(targets.length, "target")}`,
    at: endedAt,
    times: 1,
    verdict: verdictOf(checks),
    checks,
  };
}

function counted(about: string, found: number, sent: number, open: number): Check {
  const isFound = found <= sent && found >= sent - open;
  const expected = open === 0 ? String(sent) : `from ${Math.max(sent - open, 0)} to ${sent}`;
  return check(isFound ? "held" : "broken", about, expected, String(found));
}

async function auditAt(
  { origin, prefix }: TargetUrl,
  token: string | undefined,
): Promise<AuditFigures> {
  const limits = { connections: 1, mostBodyBytes: LARGEST_BODY_BYTES };
  const client = await createHttpClient(origin, limits);
  try {
    const { ask } = createControlApi({ client, origin, prefix, token });
    // The cast is safe if the versions are the same.
    return (await ask("GET", "audit")) as AuditFigures;
  } catch (error) {
    throw failureAtTarget(error);
  } finally {
    await client.close();
  }
}
