/** Ids of every form: each gives its parts back, and what isn't an id, or is another seed's or kind's, is refused. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createIdCodec,
  digitIds,
  type IdFormat,
  prefixedIds,
  urlUnsafeIds,
  uuidIds,
} from "../../src/base/id-codec.ts";

interface Form {
  readonly format: IdFormat;
  readonly looks: RegExp;
  /** What a changed character may become. */
  readonly alphabet: string;
  /** The largest share of changed ids that may be accepted as another id. */
  readonly taken: number;
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const forms: Readonly<Record<string, Form>> = {
  prefixed: {
    format: prefixedIds,
    looks: /^imp_[0-9a-hjkmnp-tv-z]{13}$/,
    alphabet: `0123456789_${letters}é`,
    taken: 2 / 256,
  },
  uuid: {
    format: uuidIds,
    looks: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    alphabet: "0123456789abcdef-",
    taken: 0,
  },
  // Twenty digits leave room for two more check bits: one change in 1024 goes unnoticed.
  digits: { format: digitIds, looks: /^[1-9]\d{19}$/, alphabet: "0123456789", taken: 3 / 1024 },
  "url-unsafe": {
    format: urlUnsafeIds,
    looks: /^(?=.*\+)(?=.*\/)[A-Za-z0-9+/]{19}=$/,
    alphabet: `${letters}${letters.toUpperCase()}0123456789+/=`,
    taken: 0,
  },
};

const edges = fc.constantFrom(0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff);
const word = fc.oneof(edges, fc.integer({ min: 0, max: 0xffff_ffff }));
const parts = fc.record({ publisher: fc.integer({ min: 0, max: 0xff_ffff }), serial: word });
const campaign = { seed: 1, numRuns: 1000 };

describe.each(Object.entries(forms))("the form %s", (_, { format, looks, alphabet, taken }) => {
  const impressions = createIdCodec("seed", "impression", "imp_", format);

  test("gives any 64 bits back, and looks as it should", () => {
    fc.assert(
      fc.property(word, word, (high, low) => {
        const text = format.render("imp_", high, low);
        expect(text).toMatch(looks);
        expect(format.read("imp_", text)).toEqual({ high, low });
      }),
      campaign,
    );
  });

  test("gives publisher and serial back, but not under another seed, as another kind or with other check bits", () => {
    const others = [
      createIdCodec("other seed", "impression", "imp_", format),
      createIdCodec("seed", "click", "clk_", format),
      createIdCodec("seed", "impression", "imp_", format, 0b1011_0001),
    ];
    fc.assert(
      fc.property(parts, (made) => {
        const id = impressions.encode(made.publisher, made.serial);
        expect(impressions.decode(id)).toEqual(made);
        for (const other of others) expect(other.decode(id)).not.toEqual(made);
        expect(others[2]?.decode(id)).toBeUndefined();
      }),
      campaign,
    );
  });

  test("refuses an id that is cut short, too long or in the other case", () => {
    const id = impressions.encode(7, 9);
    const cut = [...id].flatMap((_, at) => [id.slice(0, at), id.slice(at + 1)]);
    const longer = ["0", "=", " ", "\n"].flatMap((more) => [id + more, more + id]);
    const otherCase = [id.toUpperCase(), id.toLowerCase()].filter((text) => text !== id);
    for (const text of [...cut, ...longer, ...otherCase])
      expect(impressions.decode(text), text).toBeUndefined();
  });

  test("has one spelling, and notices a changed character or a swapped pair, save for a small share", () => {
    let tried = 0;
    let accepted = 0;
    const attempt = (text: string): void => {
      tried += 1;
      if (impressions.decode(text) !== undefined) accepted += 1;
      const bits = format.read("imp_", text);
      if (bits !== undefined) expect(format.render("imp_", bits.high, bits.low)).toBe(text);
    };
    for (let serial = 0; tried < 4000; serial += 1) {
      const id = impressions.encode(3, serial);
      for (const [at, left] of [...id].entries()) {
        for (const character of alphabet)
          if (character !== left) attempt(id.slice(0, at) + character + id.slice(at + 1));
        const right = id.charAt(at + 1);
        if (right !== "" && left !== right)
          attempt(id.slice(0, at) + right + left + id.slice(at + 2));
      }
    }
    expect(accepted / tried).toBeLessThanOrEqual(taken);
  });
});
