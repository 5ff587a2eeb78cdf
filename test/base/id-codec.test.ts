/** Ids decode to the parts that they were made from; other texts are refused. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIdCodec } from "../../src/base/id-codec.ts";
import { prefixedIds } from "../../src/base/id-formats.ts";

const impressions = createIdCodec("seed", "impression", "imp_", prefixedIds);
const clicks = createIdCodec("seed", "click", "clk_", prefixedIds);
const elsewhere = createIdCodec("other seed", "impression", "imp_", prefixedIds);
const parts = fc.record({
  publisher: fc.integer({ min: 0, max: 0xff_ffff }),
  serial: fc.integer({ min: 0, max: 0xffff_ffff }),
});
const campaign = { seed: 1, numRuns: 2000 };

test("an id decodes to the parts that it was made from", () => {
  fc.assert(
    fc.property(parts, ({ publisher, serial }) => {
      const id = impressions.encode(publisher, serial);
      expect(id).toMatch(/^imp_[0-9a-hjkmnp-tv-z]{13}$/);
      expect(impressions.decode(id)).toEqual({ publisher, serial });
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

describe("an id", () => {
  test("is refused if characters are missing or added", () => {
    const id = impressions.encode(7, 9);
    for (let length = 0; length < id.length; length += 1) {
      expect(impressions.decode(id.slice(0, length))).toBeUndefined();
      expect(impressions.decode(id.slice(length + 1))).toBeUndefined();
    }
    for (const more of ["0", " ", "\0", "\n"]) {
      expect(impressions.decode(id + more)).toBeUndefined();
      expect(impressions.decode(more + id)).toBeUndefined();
    }
  });

  test("is refused in capitals, or with a letter outside the alphabet", () => {
    expect(impressions.decode(impressions.encode(7, 9).toUpperCase())).toBeUndefined();
    for (const letter of ["i", "l", "o", "u", "é", "０"]) {
      expect(
        impressions.decode(`imp_${letter}${impressions.encode(7, 9).slice(5)}`),
      ).toBeUndefined();
    }
  });

  test("of another kind is refused, and doesn't decode to the same parts under this kind's prefix", () => {
    const click = clicks.encode(7, 9);
    expect(impressions.decode(click)).toBeUndefined();
    expect(impressions.decode(click.replace("clk_", "imp_"))).not.toEqual({
      publisher: 7,
      serial: 9,
    });
  });

  test("with one changed character is accepted less than twice in 256, as another id", () => {
    // The check part has 8 bits; the rest is refused because no such serial or publisher exists.
    const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
    let tried = 0;
    let taken = 0;
    for (let serial = 0; serial < 40; serial += 1) {
      const id = impressions.encode(3, serial);
      for (let at = 4; at < id.length; at += 1) {
        for (const character of alphabet) {
          if (character === id[at]) continue;
          const decoded = impressions.decode(id.slice(0, at) + character + id.slice(at + 1));
          expect(decoded).not.toEqual({ publisher: 3, serial });
          tried += 1;
          if (decoded !== undefined) taken += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(15_000);
    expect(taken / tried).toBeLessThan(2 / 256);
  });

  test("from another seed never decodes to the same parts", () => {
    fc.assert(
      fc.property(parts, ({ publisher, serial }) => {
        const decoded = impressions.decode(elsewhere.encode(publisher, serial));
        expect(decoded).not.toEqual({ publisher, serial });
      }),
      { ...campaign, numRuns: 200 },
    );
  });
});
