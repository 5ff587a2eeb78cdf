/** How a client repeats what went wrong: in the end everything counts, and nothing twice. */

import type { Rule } from "../rule.ts";

export const retryRules: readonly Rule[] = [];
