/** The id formats: each gives its bits back, and refuses texts that aren't ids. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIdCodec, type IdFormat } from "../../src/base/id-codec.ts";
import { digitIds, prefixedIds, urlUnsafeIds, uuidIds } from "../../src/base/id-formats.ts";

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
    alphabet: `0123456789_${letters}`,
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

const word = fc.integer({ min: 0, max: 0xffff_ffff });
const campaign = { seed: 1, numRuns: 1000 };

describe.each(Object.entries(forms))("the format %s", (_, { format, looks, alphabet, taken }) => {
  const impressions = createIdCodec("seed", "impression", "imp_", format);
  const clicks = createIdCodec("seed", "click", "clk_", format);

  test("gives any 64 bits back, and its ids match its pattern", () => {
    const edges = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    for (const high of edges) {
      for (const low of edges) {
        const text = format.render("imp_", high, low);
        expect(text).toMatch(looks);
        expect(format.read("imp_", text)).toEqual({ high, low });
      }
    }
    fc.assert(
      fc.property(word, word, (high, low) => {
        const text = format.render("imp_", high, low);
        expect(text).toMatch(looks);
        expect(format.read("imp_", text)).toEqual({ high, low });
      }),
      campaign,
    );
  });

  test("has one spelling for an id: rendering what was read gives the same text", () => {
    const id = impressions.encode(3, 5);
    const texts = fc.tuple(fc.nat(id.length - 1), fc.constantFrom(...alphabet));
    fc.assert(
      fc.property(texts, ([at, character]) => {
        const text = id.slice(0, at) + character + id.slice(at + 1);
        const bits = format.read("imp_", text);
        if (bits !== undefined) expect(format.render("imp_", bits.high, bits.low)).toBe(text);
      }),
      campaign,
    );
  });

  test("refuses an id that is cut short, too long or in the other case", () => {
    const id = impressions.encode(7, 9);
    for (let length = 0; length < id.length; length += 1) {
      expect(impressions.decode(id.slice(0, length))).toBeUndefined();
      expect(impressions.decode(id.slice(length + 1))).toBeUndefined();
    }
    for (const more of ["0", "=", " ", "\n"]) {
      expect(impressions.decode(id + more)).toBeUndefined();
      expect(impressions.decode(more + id)).toBeUndefined();
    }
    for (const other of [id.toUpperCase(), id.toLowerCase()]) {
      if (other !== id) expect(impressions.decode(other)).toBeUndefined();
    }
  });

  test("detects a changed character or a swapped pair, save for the share that it may miss", () => {
    let tried = 0;
    let accepted = 0;
    const attempt = (text: string): void => {
      tried += 1;
      if (impressions.decode(text) !== undefined) accepted += 1;
    };
    for (let serial = 0; tried < 4000; serial += 1) {
      const id = impressions.encode(3, serial);
      for (let at = 0; at < id.length; at += 1) {
        for (const character of alphabet) {
          if (character !== id[at]) attempt(id.slice(0, at) + character + id.slice(at + 1));
        }
        const [left = "", right = ""] = id.slice(at, at + 2);
        if (right !== "" && left !== right)
          attempt(id.slice(0, at) + right + left + id.slice(at + 2));
      }
    }
    expect(tried).toBeGreaterThanOrEqual(4000);
    expect(accepted / tried).toBeLessThanOrEqual(taken);
  });

  test("doesn't decode an id of another kind to the same parts", () => {
    for (let serial = 0; serial < 500; serial += 1) {
      const decoded = impressions.decode(clicks.encode(7, serial));
      expect(decoded).not.toEqual({ publisher: 7, serial });
      if (taken === 0) expect(decoded).toBeUndefined();
    }
  });
});

test("ids made of digits are larger than a number can hold exactly", () => {
  for (const high of [0, 0xffff_ffff]) {
    const id = digitIds.render("imp_", high, high);
    expect(Number(id)).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
    expect(BigInt(Number(id)) === BigInt(id) && String(Number(id)) === id).toBe(false);
  }
});

test("url-unsafe ids are canonical base64, and an unescaped query changes them", () => {
  const id = urlUnsafeIds.render("imp_", 0x1234_5678, 0x9abc_def0);
  expect(Buffer.from(id, "base64").toString("base64")).toBe(id);
  expect(new URLSearchParams(`id=${id}`).get("id")).not.toBe(id);
});
