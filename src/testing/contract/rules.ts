/** All rules of the client contract. Each is right for every session. */

import { answerRules } from "./rules/answers.ts";
import { delivers } from "./rules/delivers.ts";
import { backsOff } from "./rules/pauses.ts";
import { promiseRules } from "./rules/promises.ts";
import { recordRules } from "./rules/record.ts";
import { requestRules } from "./rules/requests.ts";
import type { Rule } from "./rules/rule.ts";
import { refusalRules, timeRules } from "./rules/time.ts";

export const rules: readonly Rule[] = [
  ...requestRules,
  ...recordRules,
  delivers,
  ...answerRules,
  ...timeRules,
  backsOff,
  ...refusalRules,
  ...promiseRules,
];
