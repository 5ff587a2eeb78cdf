/**
 * Requests of any kind, most of them almost right: garbage in names, values, paths, methods, headers and bodies. Where
 * an id or a key belongs stands a word for it, since the world that it comes from isn't made yet.
 */

import fc from "fast-check";
import type { ApiRequest } from "../../src/index.ts";

export const paths: readonly string[] = [
  "/v1/publisher/stats",
  "/v1/publisher/surfaces",
  "/v1/publisher/payouts",
  "/v1/impression",
  "/v1/click",
];
const names = [
  "publisher_id",
  "surface",
  "ad_id",
  "session_id",
  "impression_id",
  "from",
  "to",
  "limit",
];

const garbage = [
  "",
  " ",
  "\0",
  "%",
  "%zz",
  "%00",
  "%ff%fe",
  "+",
  "\ud800",
  "__proto__",
  "constructor",
  "toString",
  "[]",
  "{}",
  "null",
  "true",
  "-1",
  "1e400",
  "0x10",
  "９",
  "2026-02-29",
  "2026-01-01",
  "9999-12-31",
  "0000-01-01",
  "🌱",
  "ａ".repeat(9000),
];
const value = fc.oneof(
  fc.constantFrom("OWN-ID", "OTHER-ID", "OWN-SURFACE", "OWN-IMPRESSION", "OWN-KEY"),
  fc.constantFrom(...garbage),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "", "\0", "Publisher_Id") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
/** What a right request has. */
const right = fc.constantFrom<[string, string][]>(
  [],
  [["publisher_id", "OWN-ID"]],
  [
    ["publisher_id", "OWN-ID"],
    ["surface", "OWN-SURFACE"],
    ["ad_id", "ad"],
  ],
  [["impression_id", "OWN-IMPRESSION"]],
);
const more = fc.oneof(fc.constant([]), fc.array(fc.tuple(name, value), { maxLength: 6 }));
const pairs = fc.tuple(right, more).map((lists) => lists.flat());
const plainPairs = pairs.map((list) => list.map((pair) => pair.join("=")).join("&"));
const encodedPairs = pairs.map((list) =>
  list.map((pair) => pair.map((one) => encodeURIComponent(one.toWellFormed())).join("=")).join("&"),
);
const jsonObject = pairs.map(
  (list) => `{${list.map((pair) => pair.map((one) => JSON.stringify(one)).join(":")).join(",")}}`,
);
const bytes = fc.uint8Array({ maxLength: 60 });
const cut = fc
  .tuple(jsonObject, fc.nat(200))
  .map(([text, length]) => new TextEncoder().encode(text).subarray(0, length));

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("GET", "POST") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "HEAD",
      "PUT",
      "DELETE",
      "OPTIONS",
      "PATCH",
      "get",
      "",
      "constructor",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...paths) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "/",
      "//v1/publisher/stats",
      "/v1/%2e%2e/x",
      "/v1/publisher/stats/",
      "/v1/publisher/stats?publisher_id=x",
      "/v1/impression?%",
      "*",
      "__proto__",
      "/v1/click%00",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constant("Bearer OWN-KEY") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "Bearer",
      "Bearer ",
      "bearer   OWN-KEY  ",
      "OWN-KEY",
      "Bearer OWN-KEY, Bearer OTHER-KEY",
      "Bearer OWN-KEYx",
      "Basic eDp5",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const contentType = fc.constantFrom(
  undefined,
  "application/json",
  "application/json; charset=utf-8",
  "application/json; charset=latin1",
  "application/x-www-form-urlencoded",
  "text/plain",
  "",
  ";",
  "multipart/form-data; boundary=x",
);
/** Mostly no page sends it. */
const origin = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  "http://localhost:5173",
  "https://evil.example",
  "null",
);
/** One such request. {@link filledIn} puts the ids of a world into it. */
export const anyRequest: fc.Arbitrary<ApiRequest> = fc
  .record({
    method,
    path,
    query: fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      encodedPairs,
      plainPairs,
      fc.string({ unit: "binary", maxLength: 40 }),
      pairs.map((list) => Object.fromEntries(list)),
      fc.constant(`x=${"y".repeat(9000)}`),
    ),
    body: fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: jsonObject },
      encodedPairs,
      plainPairs,
      bytes,
      cut,
      fc.json({ maxDepth: 3 }),
      fc.constantFrom(
        "[".repeat(60_000),
        "x".repeat(65_537),
        '{"a":1',
        "\ufeff{}",
        '{"__proto__":1}',
      ),
      pairs.map((list) => Object.fromEntries(list)),
    ),
    authorization,
    contentType,
    origin,
  })
  .map(({ authorization: sent, contentType: type, origin: page, ...rest }) => ({
    ...rest,
    headers: {
      Authorization: sent,
      ...(type === undefined ? {} : { "content-type": type }),
      ...(page === undefined ? {} : { Origin: page }),
    },
  }));

/** The request with what the words in it stand for. */
export function filledIn(request: ApiRequest, known: Readonly<Record<string, string>>): ApiRequest {
  const { query, body, headers = {} } = request;
  const raw = (text: string): string => replaced(text, known, (id) => id);
  const escaped = (text: string): string => replaced(text, known, encodeURIComponent);
  const object = (of: object): Record<string, string> =>
    Object.fromEntries(Object.entries(of).map(([name, sent]) => [raw(name), raw(String(sent))]));
  const text = (sent: string): string => (sent.startsWith("{") ? raw(sent) : escaped(sent));
  return {
    ...request,
    headers: object(headers),
    query: typeof query === "object" ? object(query) : query && escaped(query),
    body: typeof body !== "object" ? body && text(body) : isBytes(body) ? body : object(body),
  };
}

function isBytes(body: object): body is Uint8Array {
  return body instanceof Uint8Array;
}

function replaced(
  text: string,
  known: Readonly<Record<string, string>>,
  as: (id: string) => string,
): string {
  return text.replaceAll(/OWN-[A-Z]+|OTHER-[A-Z]+/g, (word) => as(known[word] ?? word));
}
