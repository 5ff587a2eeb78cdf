/** Ids, amounts, names and dates that don't come back as they were. */

import type { Defect } from "../defect.ts";

export const formDefects: readonly Defect[] = [
  {
    scenario: "schema-drift",
    says: "only the outermost object has fields that nobody documented",
    file: "exchange/body-rewriter.ts",
    find: "depth === 0 ? extra?.outermost : extra?.inner",
    replace: "depth === 0 ? extra?.outermost : undefined",
  },
  {
    scenario: "schema-drift",
    says: "ids that a URL has to escape aren't recognised",
    file: "base/id-formats.ts",
    find: "return urlUnsafeIds.render(prefix, high, low) === text ? { high, low } : undefined;",
    replace: "return undefined;",
  },
  {
    scenario: "schema-drift",
    says: "ids of digits go through a floating-point number",
    file: "base/id-formats.ts",
    find: "const bits = (BigInt(text) - LEAST) >> 2n;",
    replace: "const bits = (BigInt(Number(text)) - LEAST) >> 2n;",
  },
  {
    scenario: "big-numbers",
    says: "a number that has lost digits is accepted",
    file: "exchange/validate.ts",
    find: "if (Number.isSafeInteger(number)) return",
    replace: "if (Number.isInteger(number)) return",
  },
  {
    scenario: "tiny-amounts",
    says: "the last digit of an amount isn't added up",
    file: "world/ledger/daily-totals.ts",
    find: "sums.impressions += 1;\n    sums.micros += micros;",
    replace: "sums.impressions += 1;\n    sums.micros += micros - (micros % 10);",
  },
  {
    scenario: "tiny-amounts",
    says: "amounts have trailing zeros",
    file: "base/money.ts",
    find: 'followed.map((text) => text.replace(/0+$/, ""))',
    replace: "followed",
  },
  {
    scenario: "tiny-amounts",
    says: "amounts that are shown in paise are kept in paise",
    file: "exchange/operations/amounts.ts",
    find: "exact: (write) => write,",
    replace: "exact: (write) => (micros) => write(inWholePaise(micros)),",
  },
  {
    scenario: "unicode-names",
    says: "the length of a body is counted in characters",
    file: "exchange/operations/surfaces.ts",
    find: "byteLength: utf8Length(body)",
    replace: "byteLength: body.length",
  },
  {
    scenario: "unicode-names",
    says: "a composed letter and its parts are taken for one",
    file: "exchange/operations/impression.ts",
    find: "const dedupInput = session_id === undefined ? undefined : dedupInputOf(ad_id, session_id);",
    replace:
      "const dedupInput = session_id === undefined ? undefined : dedupInputOf(ad_id.normalize(), session_id.normalize());",
  },
  {
    scenario: "unicode-names",
    says: "only the first thousand characters of a session id count",
    file: "base/text-hash.ts",
    find: "let at = 0; at < text.length;",
    replace: "let at = 0; at < Math.min(1000, text.length);",
  },
  {
    scenario: "clock-skew",
    says: "Retry-After has the date of the answer",
    file: "exchange/respond.ts",
    find: "formatHttpDate(nowMs + ms)",
    replace: "formatHttpDate(nowMs)",
  },
  {
    scenario: "clock-skew",
    says: "a period that reaches past today ends today",
    file: "exchange/operations/stats.ts",
    find: "to: input.to ?? today };",
    replace: "to: day(Math.min(input.to ?? today, today)) };",
  },
];
