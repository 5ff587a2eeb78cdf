/** Clicks that count twice, too late, or on what isn't there. */

import type { Defect } from "../defect.ts";
import { noticedBy } from "../noticed-by.ts";

export const clickDefects: readonly Defect[] = [
  ...noticedBy(["double-click", "lost-ack", "shutdown-flush"], {
    says: "nobody remembers that an impression was clicked",
    file: "world/ledger/book.ts",
    find: "    this.impressions.markClicked(serial);\n",
    replace: "",
  }),
  {
    scenario: "double-click",
    says: "a repeated click shows what the first one earned",
    file: "exchange/operations/click.ts",
    find: '"original-uncredited": (id, _micros, bodyOf) => duplicate(bodyOf(id, 0), 0),',
    replace:
      '"original-uncredited": (id, micros, bodyOf) => duplicate(bodyOf(id, micros), micros),',
  },
  {
    scenario: "double-click",
    says: "a second click that counts has the first one's id",
    file: "world/publishers/ids.ts",
    find: 'laterClick: createIdCodec(seed, "click", "clk_", format, LATER_CLICK),',
    replace:
      'laterClick: { ...createIdCodec(seed, "click", "clk_", format), encode: (publisher) => createIdCodec(seed, "click", "clk_", format).encode(publisher, 0) },',
  },
  {
    scenario: "orphan-click",
    says: "a click on another publisher's impression counts on one's own with the same serial",
    file: "exchange/operations/click.ts",
    find: "if (parts?.publisher !== account.ordinal || parts.serial >= impressions.count)",
    replace: "if (parts === undefined || parts.serial >= impressions.count)",
  },
  {
    scenario: "orphan-click",
    says: "a click on nothing is counted as an event",
    file: "exchange/operations/click.ts",
    find: 'return recorded("uncounted", 0, body,',
    replace: 'return recorded("applied", 0, body,',
  },
  ...noticedBy(["orphan-click", "click-first", "garbage-bodies", "unicode-names"], {
    says: "a click on any id succeeds",
    file: "exchange/operations/click.ts",
    find: 'unknownImpressionAnswers[assumptions["click.unknown"]](world)',
    replace: 'unknownImpressionAnswers["accept-uncredited"](world)',
  }),
  {
    scenario: "late-click",
    says: "the window ends a millisecond late",
    file: "exchange/operations/click.ts",
    find: "if (ageMs >= windowMs) return tooLate;",
    replace: "if (ageMs > windowMs) return tooLate;",
  },
  {
    scenario: "late-click",
    says: "a repeated click is never too late",
    file: "exchange/operations/click.ts",
    find: "if (ageMs >= windowMs) return tooLate;",
    replace: "if (ageMs >= windowMs && !impressions.isClicked(serial)) return tooLate;",
  },
];
