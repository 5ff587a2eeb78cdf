/** How a client asks: paths, key, parameters (spec §4, §5). */

import type { Rule } from "../rule.ts";

export const requestRules: readonly Rule[] = [];
