/** All rules of the client contract, in the order in which a client meets them. */

import { answerRules } from "./rules/answer-rules.ts";
import { countingRules } from "./rules/counting-rules.ts";
import { deadlineRules } from "./rules/deadline-rules.ts";
import { deliveryRules } from "./rules/delivery-rules.ts";
import { hintRules } from "./rules/hint-rules.ts";
import { limitRules } from "./rules/limit-rules.ts";
import { orderRules } from "./rules/order-rules.ts";
import { queueRules } from "./rules/queue-rules.ts";
import { recoveryRules } from "./rules/recovery-rules.ts";
import { refusalRules } from "./rules/refusal-rules.ts";
import { reportingRules } from "./rules/reporting-rules.ts";
import { requestRules } from "./rules/request-rules.ts";
import { retryRules } from "./rules/retry-rules.ts";
import type { Rule } from "./rules/rule.ts";
import { statsRules } from "./rules/stats-rules.ts";
import { wrongAnswerRules } from "./rules/wrong-answer-rules.ts";

export const rules: readonly Rule[] = [
  ...requestRules,
  ...countingRules,
  ...answerRules,
  ...statsRules,
  ...reportingRules,
  ...refusalRules,
  ...limitRules,
  ...hintRules,
  ...retryRules,
  ...recoveryRules,
  ...wrongAnswerRules,
  ...deadlineRules,
  ...queueRules,
  ...deliveryRules,
  ...orderRules,
];
