/** Compares what workers say they sent with what the targets' audits counted. */

import type { AuditFigures } from "../../audit/audit.ts";
import { plural } from "../../play/measure/quantities.ts";
import { check, unknownCheck, verdictOf } from "../../play/player/matching.ts";
import type { Check, PlayResult, StepResult } from "../../play/player/result.ts";
import { isSuccess } from "../../play/targets/control-api.ts";
import type { TargetUrl } from "../../play/targets/target-url.ts";
import { askReplicas } from "../fleet/ask-replicas.ts";
import { readReplicaUrls } from "../fleet/replica-urls.ts";
import { auditIn, auditRequest, sumOfAudits } from "../fleet/sum-audits.ts";
import { couldNotRun } from "../output/exit.ts";

/** The targets must have been without requests before. @throws CommandFailure if they aren't replicas that give an audit. */
export async function auditStep(
  { tally, endedAt }: Pick<PlayResult, "tally" | "endedAt">,
  urls: readonly string[],
  token: string | undefined,
): Promise<StepResult> {
  const audit = sumOfAudits(await auditsAt(readReplicaUrls(urls), token));
  const { impressions, clicks } = audit.total;
  const { impression, click } = tally.operations;
  // A request without an answer may have arrived or not.
  const open = tally.cut + tally.lost + tally.timedOut;
  const checks =
    tally.sent === 0
      ? [unknownCheck("audit", "the load sent nothing")]
      : [
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
    title: `audit of ${plural(urls.length, "target")}`,
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

async function auditsAt(
  targets: readonly TargetUrl[],
  token: string | undefined,
): Promise<readonly AuditFigures[]> {
  return (await askReplicas(targets, auditRequest, token)).map((answer) => {
    if (isSuccess(answer)) return auditIn(answer);
    throw couldNotRun(`${answer.url} gave no audit (status ${answer.status}): ${answer.text}`);
  });
}
