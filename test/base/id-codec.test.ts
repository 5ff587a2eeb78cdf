/** Ids of one seed never collide, and don't mean the same under another seed. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdCodec } from "../../src/base/id-codec.ts";
import { prefixedIds } from "../../src/base/id-formats.ts";

const impressions = createIdCodec("seed", "impression", "imp_", prefixedIds);
const elsewhere = createIdCodec("other seed", "impression", "imp_", prefixedIds);
const parts = fc.record({
  publisher: fc.integer({ min: 0, max: 0xff_ffff }),
  serial: fc.integer({ min: 0, max: 0xffff_ffff }),
});
const campaign = { seed: 1, numRuns: 2000 };

test("an id decodes to the parts that it was made from, and to others or none under another seed", () => {
  fc.assert(
    fc.property(parts, ({ publisher, serial }) => {
      const id = impressions.encode(publisher, serial);
      expect(impressions.decode(id)).toEqual({ publisher, serial });
      expect(elsewhere.decode(id)).not.toEqual({ publisher, serial });
    }),
    campaign,
  );
});

test("different parts have different ids", () => {
  const ids = new Set<string>();
  for (let publisher = 0; publisher < 100; publisher += 1) {
    for (let serial = 0; serial < 100; serial += 1) ids.add(impressions.encode(publisher, serial));
  }
  expect(ids.size).toBe(10_000);
});

test("codecs of one kind with different check parts share no id", () => {
  const later = createIdCodec("seed", "impression", "imp_", prefixedIds, 0b1011_0001);
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(later.decode(later.encode(one.publisher, one.serial))).toEqual(one);
      expect(later.decode(impressions.encode(other.publisher, other.serial))).toBeUndefined();
      expect(impressions.decode(later.encode(one.publisher, one.serial))).toBeUndefined();
    }),
    campaign,
  );
});

test("a letter outside the alphabet is refused", () => {
  for (const letter of ["i", "l", "o", "u", "é", "０"]) {
    const id = `imp_${letter}${impressions.encode(7, 9).slice(5)}`;
    expect(impressions.decode(id)).toBeUndefined();
  }
});
