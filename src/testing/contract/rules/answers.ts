/** What a client makes of the answers to impressions and clicks (spec §2, §4). */

import type { Rule } from "../rule.ts";

export const answerRules: readonly Rule[] = [];
