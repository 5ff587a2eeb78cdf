/** How a client keeps the request limits (spec §8). */

import type { Rule } from "../rule.ts";

export const limitRules: readonly Rule[] = [];
