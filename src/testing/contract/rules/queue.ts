/** What becomes of events that a client has queued. */

import type { Rule } from "../rule.ts";

export const queueRules: readonly Rule[] = [];
