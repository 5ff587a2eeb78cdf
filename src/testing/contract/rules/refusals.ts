/** What a client makes of refusals (spec §7). */

import type { Rule } from "../rule.ts";

export const refusalRules: readonly Rule[] = [];
