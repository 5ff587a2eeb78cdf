/** All rules of the client contract. Each is right for every session. */

import { answerRules } from "./rules/answers.ts";
import { closingRules } from "./rules/closing.ts";
import { backsOff } from "./rules/pauses.ts";
import { recordRules } from "./rules/record.ts";
import { requestRules } from "./rules/requests.ts";
import type { Rule } from "./rules/rule.ts";
import { promiseRules, refusalRules, timeRules } from "./rules/time.ts";

export const rules: readonly Rule[] = [
  ...requestRules,
  ...recordRules,
  ...answerRules,
  ...timeRules,
  backsOff,
  ...refusalRules,
  ...promiseRules,
  ...closingRules,
];
