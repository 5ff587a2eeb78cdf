/** Thirty defects of the simulator, of every kind that its own invariants are about. */

import type { Change } from "../../planted-modules.ts";
import type { TopicName } from "./topics.ts";

export interface Defect extends Change {
  /** What is wrong then, in a few words. */
  readonly says: string;
  /** What the sequences are about that look for it. */
  readonly topic: TopicName;
}

export const simulatorDefects: readonly Defect[] = [
  {
    says: "the last digit of an amount isn't added up",
    topic: "amounts",
    file: "world/ledger/daily-totals.ts",
    find: "sums.impressions += 1;\n    sums.micros += micros;",
    replace: "sums.impressions += 1;\n    sums.micros += micros - (micros % 10);",
  },
  {
    says: "a click's revenue isn't written down",
    topic: "amounts",
    file: "world/ledger/book.ts",
    find: "addClick(moment.today, micros);",
    replace: "addClick(moment.today, 0);",
  },
  {
    says: "answers show five decimals of the six",
    topic: "amounts",
    file: "base/money.ts",
    find: '(lastDigits[digits] ?? "")',
    replace: '(lastDigits[digits] ?? "").slice(0, 2)',
  },
  {
    says: "paise are cut off, not rounded",
    topic: "amounts",
    file: "base/money.ts",
    find: "Math.floor((amount + MICROS_PER_PAISA / 2) / MICROS_PER_PAISA)",
    replace: "Math.floor(amount / MICROS_PER_PAISA)",
  },
  {
    says: "what was paid stays pending",
    topic: "payouts",
    file: "world/ledger/payout-history.ts",
    find: "paid += due;",
    replace: "",
  },
  {
    says: "a payout changes its status a day late",
    topic: "payouts",
    file: "world/ledger/payout-lifecycles.ts",
    find: "if (age >= sinceDay) status = next;",
    replace: "if (age > sinceDay) status = next;",
  },
  {
    says: "a list cut short has the oldest payouts",
    topic: "payouts",
    file: "exchange/operations/payouts.ts",
    find: "payouts.slice(-limit).reverse(),",
    replace: "payouts.slice(0, limit).reverse(),",
  },
  {
    says: "the default period has 30 days",
    topic: "stats",
    file: "exchange/operations/stats.ts",
    find: "const DEFAULT_DAYS_BACK = 30;",
    replace: "const DEFAULT_DAYS_BACK = 29;",
  },
  {
    says: "yesterday's answer is given again today",
    topic: "stats",
    file: "exchange/operations/stats.ts",
    find: "      last.today === today &&\n",
    replace: "",
  },
  {
    says: "Indian time is five hours ahead",
    topic: "stats",
    file: "exchange/operations/operation-world.ts",
    find: "ist: 5.5 * HOUR_MS,",
    replace: "ist: 5 * HOUR_MS,",
  },
  {
    says: "a period that reaches past today ends today",
    topic: "stats",
    file: "exchange/operations/stats.ts",
    find: "to: input.to ?? today };",
    replace: "to: day(Math.min(input.to ?? today, today)) };",
  },
  {
    says: "sessions aren't remembered",
    topic: "duplicates",
    file: "world/ledger/recent-impressions.ts",
    find: "this.#currentAt(nowMs, windowMs).put(wanted, rows.count);",
    replace: "",
  },
  {
    says: "the window of duplicates ends a millisecond late",
    topic: "duplicates",
    file: "world/ledger/recent-impressions.ts",
    find: "nowMs - rows.recordedMs(row) < windowMs) return row;",
    replace: "nowMs - rows.recordedMs(row) <= windowMs) return row;",
  },
  {
    says: "impressions without a session count as duplicates",
    topic: "duplicates",
    file: "exchange/operations/impression.ts",
    find: "if (dedupInput !== undefined && repeat !== undefined) {\n      const same = fingerprintOf(hashKey, surfaceIndex, dedupInput);",
    replace:
      'if (repeat !== undefined) {\n      const same = fingerprintOf(hashKey, surfaceIndex, dedupInput ?? dedupInputOf("", ""));',
  },
  {
    says: "nobody remembers that an impression was clicked",
    topic: "clicks",
    file: "world/ledger/book.ts",
    find: "    this.impressions.markClicked(serial);\n",
    replace: "",
  },
  {
    says: "a click on another publisher's impression counts on one's own",
    topic: "clicks",
    file: "exchange/operations/click.ts",
    find: "if (parts?.publisher !== account.ordinal || parts.serial >= impressions.count)",
    replace: "if (parts === undefined || parts.serial >= impressions.count)",
  },
  {
    says: "a click at the window's end is in time",
    topic: "clicks",
    file: "exchange/operations/click.ts",
    find: "if (ageMs >= windowMs) return tooLate;",
    replace: "if (ageMs > windowMs) return tooLate;",
  },
  {
    says: "a paused surface still records impressions",
    topic: "surfaces",
    file: "exchange/operations/impression.ts",
    find: 'const active = surface.status === "active";',
    replace: 'const active = surface.status !== "archived";',
  },
  {
    says: "a fixed window admits one more than the limit",
    topic: "limits",
    file: "world/limits/fixed-window.ts",
    find: "if (bucket.used >= rate.requests) {",
    replace: "if (bucket.used > rate.requests) {",
  },
  {
    says: "Retry-After is rounded down",
    topic: "limits",
    file: "exchange/respond.ts",
    find: "seconds: (ms) => String(Math.ceil(ms / 1000)),",
    replace: "seconds: (ms) => String(Math.floor(ms / 1000)),",
  },
  {
    says: "a refused request takes a token",
    topic: "limits",
    file: "world/limits/token-bucket.ts",
    find: "if (missingMs > rate.windowMs) {",
    replace: "if (missingMs > rate.windowMs) {\n      bucket.fullAtMs += tokenMs;",
  },
  {
    says: "all publishers share one recording limit",
    topic: "limits",
    file: "world/accounts/buckets.ts",
    find: "return {\n    algorithm,\n    fresh: () => ({\n      recordingBucket: algorithm.fresh(),",
    replace:
      "const shared = algorithm.fresh();\n  return {\n    algorithm,\n    fresh: () => ({\n      recordingBucket: shared,",
  },
  {
    says: "with a new key the recording quota starts anew",
    topic: "limits",
    file: "world/accounts/accounts.ts",
    find: "account.reportingBucket = freshBuckets().reportingBucket;",
    replace: "Object.assign(account, freshBuckets());",
  },
  {
    says: "a key that was seen before stays valid",
    topic: "keys",
    file: "exchange/authenticate.ts",
    find: "return known.caller.account.keySerial === known.keySerial ? known : undefined;",
    replace: "return known;",
  },
  {
    says: "an error reveals that a hidden publisher exists",
    topic: "keys",
    file: "exchange/authorize.ts",
    find: '"404": nonexistent,',
    replace:
      '"404": refused({ ...nonexistent.rejection, detail: "publisher_id is another publisher\'s." }),',
  },
  {
    says: "ids that a URL has to escape aren't recognised",
    topic: "keys",
    file: "base/id-formats.ts",
    find: "return urlUnsafeIds.render(prefix, high, low) === text ? { high, low } : undefined;",
    replace: "return undefined;",
  },
  {
    says: "the length of a body is counted in characters",
    topic: "surfaces",
    file: "exchange/operations/surfaces.ts",
    find: "byteLength: utf8Length(body)",
    replace: "byteLength: body.length",
  },
  {
    says: "a world that goes on has forgotten which impressions were clicked",
    topic: "continuing",
    file: "world/ledger/impression-columns.ts",
    find: "    grown.clicked.set(this.clicked);\n",
    replace: "",
  },
  {
    says: "a world that goes on has forgotten what would be a duplicate",
    topic: "continuing",
    file: "world/ledger/recent-impressions.ts",
    find: "recent.#current = Generation.load(saved.current, rows);",
    replace: "",
  },
  {
    says: "in a world that goes on every publisher has its first key again",
    topic: "continuing",
    file: "world/accounts/account.ts",
    find: "ids.apiKey.encode(ordinal, keySerial)",
    replace: "ids.apiKey.encode(ordinal, 0)",
  },
];
