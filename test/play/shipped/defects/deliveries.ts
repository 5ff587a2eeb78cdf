/** Answers that don't arrive, and what the service records then. */

import type { Defect } from "../defect.ts";
import { noticedBy } from "../noticed-by.ts";

export const deliveryDefects: readonly Defect[] = [
  ...noticedBy(["lost-ack", "slow-ack", "shutdown-flush"], {
    says: "an event whose answer is lost isn't recorded",
    file: "faults/plan.ts",
    find: '"lose-response": ({ as }) => ({ ...once,',
    replace: '"lose-response": ({ as }) => ({ ...never,',
  }),
  {
    scenario: "shutdown-flush",
    says: "an event that never arrived is recorded",
    file: "faults/plan.ts",
    find: "drop: ({ as }) => ({ ...never,",
    replace: "drop: ({ as }) => ({ ...once,",
  },
  ...noticedBy(["lost-ack", "truncated-json", "garbage-bodies", "slow-ack", "slow-drip"], {
    says: "the audit counts lost answers as arrived",
    file: "exchange/faulted-path.ts",
    find: "if (tally !== undefined) tally.lost += 1;\n    countUnseen(tally, context);",
    replace: "",
  }),
  ...noticedBy(["slow-ack", "slow-drip"], {
    says: "a client that has left isn't noticed",
    file: "exchange/faulted-path.ts",
    find: "undelivered: () => recordUndelivered(context, own)",
    replace: "undelivered: () => {}",
  }),
  {
    scenario: "truncated-json",
    says: "a byte too many arrives",
    file: "faults/plan.ts",
    find: "const sent = bytes.subarray(0, sentBytes);",
    replace: "const sent = bytes.subarray(0, sentBytes + 1);",
  },
  {
    scenario: "truncated-json",
    says: "an answer cut after its last byte doesn't count as whole",
    file: "faults/plan.ts",
    find: "if (sentBytes >= bytes.length) return whole(answer);",
    replace: "if (sentBytes > bytes.length) return whole(answer);",
  },
  {
    scenario: "garbage-bodies",
    says: "an event isn't recorded if a rule replaces its answer",
    file: "faults/plan.ts",
    find: "applications: injected.applied === true ? 1 : 0,",
    replace: "applications: 0,",
  },
  ...noticedBy(["garbage-bodies", "flapping", "click-first", "brownout"], {
    says: "headers that a rule sets are left out",
    file: "exchange/respond.ts",
    find: "for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;",
    replace: "",
  }),
  {
    scenario: "slow-drip",
    says: "an answer that drips counts as lost",
    file: "spec/delivery.ts",
    find: 'drip: { received: "whole"',
    replace: 'drip: { received: "part"',
  },
  {
    scenario: "flapping",
    says: "an outage lasts a millisecond longer",
    file: "faults/installed-rule.ts",
    find: "% repeat.everyMs < repeat.forMs;",
    replace: "% repeat.everyMs <= repeat.forMs;",
  },
  {
    scenario: "flapping",
    says: "a rule is still there at the instant that it ends at",
    file: "faults/installed-rule.ts",
    find: "nowMs >= untilMs) return false;",
    replace: "nowMs > untilMs) return false;",
  },
  ...noticedBy(["flapping", "brownout", "click-first", "slow-ack"], {
    says: "the service records a request that a rule answers in its place",
    file: "exchange/faulted-path.ts",
    find: "        return singleResult(keepFromService(context, inspection, fired));",
    replace:
      "        serve(context.again());\n        return singleResult(keepFromService(context, inspection, fired));",
  }),
  {
    scenario: "brownout",
    says: "a rule for every twentieth request begins with the first",
    file: "faults/installed-rule.ts",
    find: "number % every === 0)",
    replace: "number % every === 1)",
  },
  {
    scenario: "brownout",
    says: "delays of milliseconds are seconds",
    file: "faults/delay.ts",
    find: "return drawBetween(key, 2 * ordinal, fromMs, toMs);",
    replace: "return 1000 * drawBetween(key, 2 * ordinal, fromMs, toMs);",
  },
  {
    scenario: "shutdown-flush",
    says: "duplicates are recognised for a millisecond longer",
    file: "world/ledger/recent-impressions.ts",
    find: "nowMs - rows.recordedMs(row) < windowMs) return row;",
    replace: "nowMs - rows.recordedMs(row) <= windowMs) return row;",
  },
];
