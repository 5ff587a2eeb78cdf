/** What counts as the same answer, and how a difference is shown. */

import { expect, test } from "vitest";
import { differenceOf } from "../../src/choices/compare-answers.ts";

const same = { status: 200, headers: { "content-type": "application/json" }, body: '{"a":1}' };

test("headers of the connection make no difference, the service's own do", () => {
  const now = { ...same, headers: { ...same.headers, date: "now", server: "x", via: "1.1 y" } };
  expect(differenceOf(same, now)).toBe(undefined);
  for (const name of ["x-ratelimit-remaining", "retry-after", "location", "x-unknown"]) {
    const more = { ...same, headers: { ...same.headers, [name]: "1" } };
    const [one, other] = [differenceOf(same, more), differenceOf(more, same)];
    expect(one?.headers).toEqual([{ name, recorded: undefined, now: "1" }]);
    expect(other?.headers).toEqual([{ name, recorded: "1", now: undefined }]);
  }
});

test("content-length must be the same, unless one of the two came compressed", () => {
  const plain = { ...same, headers: { "content-length": "7" } };
  const zipped = { ...same, headers: { "content-length": "5", "content-encoding": "gzip" } };
  expect(differenceOf(zipped, plain)).toBe(undefined);
  const longer = { ...same, headers: { "content-length": "8" } };
  expect(differenceOf(plain, longer)?.headers[0]?.name).toBe("content-length");
});

const long = "é".repeat(50);

test.each([
  [`${long}left`, `${long}right`, 100, `…${"é".repeat(20)}left`, `…${"é".repeat(20)}right`],
  ['{"a":1}', '{"a":1', 6, '{"a":1}', '{"a":1'],
  [`1${long}`, `2${long}`, 0, `1${"é".repeat(19)}\ufffd…`, `2${"é".repeat(19)}\ufffd…`],
  ["{}", Uint8Array.of(0x7b, 0xff), 1, "{}", "{\ufffd"],
  // A byte order mark counts like other bytes, and a decoder drops it.
  ["{}", Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d), 0, "{}", "{}"],
])("bodies %j and %j differ from byte %i on", (body, other, byte, recorded, now) => {
  const difference = differenceOf({ ...same, body }, { ...same, body: other });
  expect(difference).toEqual({ headers: [], body: { byte, recorded, now } });
});

test("a body is the same as its bytes, and isn't compared if it wasn't recorded", () => {
  const bytes = new TextEncoder().encode(same.body);
  expect(differenceOf(same, { ...same, body: bytes })).toBe(undefined);
  expect(differenceOf({ ...same, body: undefined }, same)).toBe(undefined);
});
