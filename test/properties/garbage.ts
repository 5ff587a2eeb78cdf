/**
 * Requests of any kind, most of them almost right: those of `arbitraryRequest`, right and wrong ones, and the same with
 * garbage in names, values, paths, methods, headers and bodies.
 */

import fc from "fast-check";
import type { ApiRequest, Simulator } from "../../src/index.ts";
import { operations } from "../../src/spec/operations.ts";
import { arbitraryRequest } from "../../src/testing.ts";

const paths = Object.values(operations).map(({ path }) => path);

/** Names and values that `arbitraryRequest` uses as flaws, and odder ones, for any place. */
const known = Object.values(operations).flatMap(({ parameters }) => Object.keys(parameters));
const name = fc.oneof(
  fc.constantFrom(...known),
  fc.constantFrom("__proto__", "constructor", "", "\0", "Publisher_Id"),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const value = fc.oneof(
  fc.constantFrom("", " ", "\0", "%", "%00", "%ff%fe", "+", "\ud800", "__proto__", "toString"),
  fc.constantFrom("[]", "{}", "null", "true", "-1", "1e400", "９", "🌱"),
  // Too long for a URL.
  fc.constantFrom("x", "0", "false", "ａ".repeat(9000)),
  fc.constantFrom("2026-02-29", "9999-12-31", "0000-01-01"),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const pairs = fc.array(fc.tuple(name, value), { maxLength: 6 });
const plainPairs = pairs.map((list) => list.map((pair) => pair.join("=")).join("&"));
const encodedPairs = pairs.map((list) =>
  list.map((pair) => pair.map((one) => encodeURIComponent(one.toWellFormed())).join("=")).join("&"),
);
const jsonObject = pairs.map(
  (list) => `{${list.map((pair) => pair.map((one) => JSON.stringify(one)).join(":")).join(",")}}`,
);
const cut = fc
  .tuple(jsonObject, fc.nat(200))
  .map(([text, length]) => new TextEncoder().encode(text).subarray(0, length));

const method = fc.oneof(
  fc.constantFrom("GET", "POST", "HEAD", "PUT", "OPTIONS", "get", "", "constructor"),
  fc.string({ maxLength: 6 }),
);
const path = fc.oneof(
  fc.constantFrom(...paths),
  fc.constantFrom("", "/", "*", "__proto__", "/v1/click%00", "/v1/%2e%2e/x", "/v1/impression?%"),
  fc.constantFrom(
    "//v1/publisher/stats",
    "/v1/publisher/stats/",
    "/v1/publisher/stats?publisher_id=x",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const authorization = fc.oneof(
  fc.constantFrom("", "Bearer", "Bearer ", "bearer   key  ", "key", "Basic eDp5"),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const origin = fc.constantFrom("http://localhost:5173", "https://evil.example", "null");
const query = fc.oneof(
  encodedPairs,
  plainPairs,
  fc.string({ unit: "binary", maxLength: 40 }),
  pairs.map((list) => Object.fromEntries(list)),
);
const body = fc.oneof(
  jsonObject,
  encodedPairs,
  plainPairs,
  fc.uint8Array({ maxLength: 60 }),
  cut,
  fc.json({ maxDepth: 3 }),
  fc.constantFrom("[".repeat(60_000), '{"a":1', "\ufeff{}", '{"__proto__":1}'),
  pairs.map((list) => Object.fromEntries(list)),
);
const headers = fc.oneof(
  authorization.map((sent) => ({ authorization: sent })),
  fc.constantFrom("", ";").map((type) => ({ "content-type": type })),
  origin.map((page) => ({ Origin: page })),
);

/** Replaces one part, or two, with garbage. */
const garbage: fc.Arbitrary<Partial<ApiRequest>> = fc.oneof(
  ...[{ method }, { path }, { query }, { body }, { query, body }, { headers }].map((parts) =>
    fc.record<Partial<ApiRequest>>(parts),
  ),
  fc.constant({ body: " ".repeat(65_537) }),
);

/** One such request to a world. */
export function anyRequest(sim: Simulator): fc.Arbitrary<ApiRequest> {
  const valid = arbitraryRequest({ sim }).map(({ request }) => request);
  const parts = fc.oneof({ withCrossShrink: true }, fc.constant<Partial<ApiRequest>>({}), garbage);
  return fc.tuple(valid, parts).map(([request, changed]) => ({
    ...request,
    ...changed,
    headers: { ...request.headers, ...changed.headers },
  }));
}
