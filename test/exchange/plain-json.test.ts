/** Which requests are recognised as plain JSON. */

import { describe, expect, test } from "vitest";
import { authorizationIfPlainJson, isShortText } from "../../src/exchange/plain-json.ts";

const authorization = "Bearer k";
const json = "application/json";

function recognised(headers: Readonly<Record<string, string>>, query = ""): unknown {
  return authorizationIfPlainJson({ query, headers });
}

function unlisted(headers: object, name: string, value: string): Record<string, string> {
  return Object.defineProperty({ ...headers }, name, { value });
}

describe("recognised, with header names in any case", () => {
  test.each([
    { authorization, "content-type": json },
    { Authorization: authorization, "Content-Type": json },
    { AUTHORIZATION: authorization, "CONTENT-TYPE": json },
    { "cOnTeNt-TyPe": json, aUtHoRiZaTiOn: authorization },
    // The lower-case spelling wins; among others, the first.
    {
      Authorization: "Bearer x",
      authorization,
      "content-type": json,
      "Content-Type": "text/plain",
    },
    { Authorization: authorization, AUTHORIZATION: "Bearer x", "content-type": json },
    // Names of the same lengths as the real ones.
    {
      "x-authorized0": "x",
      "x-not-a-type": "x",
      "x-not-encoded-00": "x",
      authorization,
      "content-type": json,
    },
  ])("%o", (headers) => {
    expect(recognised(headers)).toBe(authorization);
  });

  test.each(["; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8"])(
    "with %s after the type",
    (charset) => {
      const headers = { authorization, "Content-Type": `${json}${charset}` };
      expect(recognised(headers)).toBe(authorization);
    },
  );

  test("without a type: such a body is read as JSON", () => {
    expect(recognised({ authorization })).toBe(authorization);
    expect(recognised({ authorization, "Content-Type": "text/plain" })).toBeUndefined();
  });
});

describe("not recognised", () => {
  test.each([
    ["another type", { authorization, "content-type": "text/plain" }],
    ["a type with another charset", { authorization, "content-type": `${json}; charset=latin1` }],
    ["a type with more", { authorization, "content-type": `${json}; charset=utf-8; v=1` }],
    ["a type in capitals", { authorization, "content-type": "Application/JSON" }],
    ["an empty type", { authorization, "content-type": "" }],
    ["two types", { authorization, "Content-Type": json, "content-type": "text/plain" }],
    ["an encoding", { authorization, "content-type": json, "content-encoding": "gzip" }],
    ["an encoding in capitals", { authorization, "content-type": json, "CONTENT-ENCODING": "" }],
  ])("%s", (_what, headers) => {
    expect(recognised(headers)).toBeUndefined();
  });

  test("if the header is inherited or isn't enumerable", () => {
    const headers = { authorization, "Content-Type": json };
    const encoded = Object.create({ "content-encoding": "gzip" });
    expect(recognised(Object.assign(encoded, headers))).toBeUndefined();
    expect(recognised(unlisted(headers, "content-encoding", "gzip"))).toBeUndefined();
    expect(recognised(unlisted(headers, "content-type", "text/plain"))).toBeUndefined();
    const other = unlisted(
      { Authorization: authorization, "content-type": json },
      "authorization",
      "x",
    );
    expect(recognised(other)).toBe("x");
  });

  test("with a query, or without headers", () => {
    expect(recognised({ authorization, "content-type": json }, "a=1")).toBeUndefined();
    expect(authorizationIfPlainJson({})).toBeUndefined();
  });
});

test("a header with a long value is recognised only if all of it is plain", () => {
  expect(["", "x".repeat(65_536)].every(isShortText)).toBe(true);
  for (const body of ["x".repeat(65_537), new Uint8Array(2), {}, undefined]) {
    expect(isShortText(body)).toBe(false);
  }
});
