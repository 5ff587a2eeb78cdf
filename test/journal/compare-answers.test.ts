/** What counts as the same answer, and how a difference is shown. */

import { describe, expect, test } from "vitest";
import { differenceOf } from "../../src/journal/compare-answers.ts";

const same = { status: 200, headers: { "content-type": "application/json" }, body: '{"a":1}' };

describe("headers", () => {
  test("of the connection make no difference, the service's own do", () => {
    const now = { ...same, headers: { ...same.headers, date: "now", server: "x", via: "1.1 y" } };
    expect(differenceOf(same, now)).toBe(undefined);
    for (const name of ["x-ratelimit-remaining", "retry-after", "location", "allow"]) {
      const headers = { ...same.headers, [name]: "1" };
      expect(differenceOf(same, { ...same, headers })?.headers).toEqual([
        { name, recorded: undefined, now: "1" },
      ]);
      expect(differenceOf({ ...same, headers }, same)?.headers).toEqual([
        { name, recorded: "1", now: undefined },
      ]);
    }
  });

  test("must have the same content-length, unless one of the two came compressed", () => {
    const plain = { ...same, headers: { "content-length": "7" } };
    const zipped = { ...same, headers: { "content-length": "5", "content-encoding": "gzip" } };
    const longer = { ...same, headers: { "content-length": "8" } };
    expect(differenceOf(zipped, plain)).toBe(undefined);
    expect(differenceOf(plain, longer)?.headers[0]?.name).toBe("content-length");
  });
});

describe("a body", () => {
  test("that differs is shown from just before the byte, on both sides", () => {
    const recorded = { ...same, body: `${"é".repeat(50)}left` };
    const now = { ...same, body: `${"é".repeat(50)}right` };
    expect(differenceOf(recorded, now)?.body).toEqual({
      byte: 100,
      recorded: `…${"é".repeat(20)}left`,
      now: `…${"é".repeat(20)}right`,
    });
  });

  test("that is a prefix of the other differs where it ends", () => {
    const { body } = differenceOf(same, { ...same, body: '{"a":1' }) ?? {};
    expect(body).toEqual({ byte: 6, recorded: '{"a":1}', now: '{"a":1(ends here)' });
  });

  test("is compared by its bytes if one side is bytes", () => {
    const bytes = new TextEncoder().encode(same.body);
    expect(differenceOf(same, { ...same, body: bytes })).toBe(undefined);
    const broken = Uint8Array.from([...bytes.subarray(0, 3), 0xff]);
    expect(differenceOf(same, { ...same, body: broken })?.body?.byte).toBe(3);
    // A byte order mark counts like other bytes.
    const marked = Uint8Array.from([0xef, 0xbb, 0xbf, ...bytes]);
    expect(differenceOf(same, { ...same, body: marked })?.body?.byte).toBe(0);
  });

  test("that wasn't recorded isn't compared", () => {
    expect(differenceOf({ ...same, body: undefined }, same)).toBe(undefined);
  });
});

test("a difference is shown with terminal control characters escaped", () => {
  const sequence = "\u001b";
  const { headers, body } =
    differenceOf(
      { ...same, headers: { location: `${sequence}[2J` } },
      { ...same, headers: {}, body: `${sequence}[31m` },
    ) ?? {};
  expect([headers?.[0]?.recorded, body?.now]).toEqual(["\\u001b[2J", "\\u001b[31m"]);
});
