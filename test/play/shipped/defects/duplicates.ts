/** Duplicates that are counted, or events that are taken for duplicates. */

import type { Defect } from "../defect.ts";
import { noticedBy } from "../noticed-by.ts";

export const duplicateDefects: readonly Defect[] = [
  ...noticedBy(["duplicate-storm", "dedup-edge", "session-reuse", "happy-month"], {
    says: "sessions aren't remembered",
    file: "world/ledger/recent-impressions.ts",
    find: "this.#currentAt(nowMs, windowMs).put(wanted, rows.count);",
    replace: "",
  }),
  ...noticedBy(["duplicate-storm", "dedup-edge", "session-reuse", "happy-month"], {
    says: "the answer to a duplicate shows the credit once more",
    file: "exchange/operations/impression.ts",
    find: '"original-uncredited": (id, _micros, bodyOf) => duplicate(bodyOf(id, 0), 0),',
    replace:
      '"original-uncredited": (id, micros, bodyOf) => duplicate(bodyOf(id, micros), micros),',
  }),
  {
    scenario: "duplicate-storm",
    says: "impressions without a session count as one session's",
    file: "exchange/operations/impression.ts",
    find: "if (dedupInput !== undefined && repeat !== undefined) {\n      const same = fingerprintOf(hashKey, surfaceIndex, dedupInput);",
    replace:
      'if (repeat !== undefined) {\n      const same = fingerprintOf(hashKey, surfaceIndex, dedupInput ?? dedupInputOf("", ""));',
  },
  {
    scenario: "duplicate-storm",
    says: "a second click on an impression counts",
    file: "exchange/operations/click.ts",
    find: "if (!impressions.isClicked(serial)) {",
    replace: "if (true) {",
  },
  {
    scenario: "dedup-edge",
    says: "the window ends a millisecond late",
    file: "world/ledger/recent-impressions.ts",
    find: "nowMs - rows.recordedMs(row) < windowMs) return row;",
    replace: "nowMs - rows.recordedMs(row) <= windowMs) return row;",
  },
  {
    scenario: "dedup-edge",
    says: "remembered sessions are dropped after half of the window",
    file: "world/ledger/recent-impressions.ts",
    find: "if (nowMs - this.#latestMs >= windowMs) {",
    replace: "if (nowMs - this.#latestMs >= windowMs / 2) {",
  },
  {
    scenario: "dedup-edge",
    says: "a window without an end ends after a day",
    file: "exchange/operations/operation-world.ts",
    find: "forever: Number.POSITIVE_INFINITY,",
    replace: "forever: 24 * HOUR_MS,",
  },
  {
    scenario: "session-reuse",
    says: "the ad makes no difference",
    file: "world/ledger/fingerprint.ts",
    find: "const { adA, adB, sessionA, sessionB } = dedupInput;",
    replace: "const { sessionA, sessionB } = dedupInput;\n  const [adA, adB] = [0, 0];",
  },
  {
    scenario: "session-reuse",
    says: "the surface makes no difference",
    file: "world/ledger/fingerprint.ts",
    find: "(key.a ^ adA) + surfaceIndex",
    replace: "key.a ^ adA",
  },
  {
    scenario: "session-reuse",
    says: "ads and sessions are compared without regard to case",
    file: "base/text-hash.ts",
    find: "break;\n      a = Math.imul(a ^ code, 0x9e3779b1);\n      b = Math.imul(b ^ code, 0x5f356495);",
    replace:
      "break;\n      a = Math.imul(a ^ (code | 32), 0x9e3779b1);\n      b = Math.imul(b ^ (code | 32), 0x5f356495);",
  },
];
