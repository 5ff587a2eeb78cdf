/** All rules of the client contract, in the order in which a client meets them. */

import { answerRules } from "./rules/answers.ts";
import { limitRules } from "./rules/limits.ts";
import { queueRules } from "./rules/queue.ts";
import { refusalRules } from "./rules/refusals.ts";
import { reportingRules } from "./rules/reporting.ts";
import { requestRules } from "./rules/requests.ts";
import { retryRules } from "./rules/retries.ts";
import type { Rule } from "./rules/rule.ts";

export const rules: readonly Rule[] = [
  ...requestRules,
  ...answerRules,
  ...reportingRules,
  ...refusalRules,
  ...limitRules,
  ...retryRules,
  ...queueRules,
];
