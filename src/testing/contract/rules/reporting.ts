/** What a client makes of statistics, surfaces and payouts (spec §2, §4). */

import type { Rule } from "../rule.ts";

export const reportingRules: readonly Rule[] = [];
