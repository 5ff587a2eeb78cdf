/** Compares what workers say they sent with what the targets' audits counted. */

import { plural } from "../../play/measure/quantities.ts";
import { check, verdictOf } from "../../play/player/matching.ts";
import type { Check, PlayResult, StepResult } from "../../play/player/result.ts";
import { createControlApi } from "../../play/targets/control-api.ts";
import { createHttpClient } from "../../play/targets/http-client.ts";
import { readTargetUrl } from "../../play/targets/target-url.ts";
import { type AuditFigures, sumOfAudits } from "../fleet/sum-audits.ts";
import { failureAtTarget } from "../output/exit.ts";

/** The targets must have been without requests before. @throws CommandFailure if one gives no audit. */
export async function auditStep(
  { tally, endedAt }: Pick<PlayResult, "tally" | "endedAt">,
  targets: readonly string[],
  token: string | undefined,
): Promise<StepResult> {
  const audit = sumOfAudits(await Promise.all(targets.map((url) => auditAt(url, token))));
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

async function auditAt(url: string, token: string | undefined): Promise<AuditFigures> {
  const { origin, prefix } = readTargetUrl(url);
  const client = await createHttpClient(origin, { connections: 1, mostBodyBytes: MAX_BODY_BYTES });
  try {
    return (await createControlApi({ client, origin, prefix, token }).ask(
      "GET",
      "audit",
    )) as AuditFigures;
  } catch (error) {
    throw failureAtTarget(error);
  } finally {
    await client.close();
  }
}

/** As large as the audit of a million publishers can be. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;
