/**
 * Requests of any kind, most of them almost right: those of `arbitraryRequest`, right and wrong ones, and the same with
 * garbage in names, values, paths, methods, headers and bodies. Ids and keys are placeholder words, since their world isn't
 * made yet.
 */

import fc from "fast-check";
import { type ApiRequest, createSimulator } from "../../src/index.ts";
import { operations } from "../../src/spec/operations.ts";
import { arbitraryRequest } from "../../src/testing.ts";
import { ask } from "./ask.ts";

/** Those of GET come first. */
export const paths: readonly string[] = Object.values(operations)
  .toSorted((one, other) => Number(one.method === "POST") - Number(other.method === "POST"))
  .map(({ path }) => path);

const sim = createSimulator({ publishers: 2 });
const [own, other] = [sim.publishers.at(0), sim.publishers.at(1)];
const surface = own.surfaces[0]?.id ?? "";
const made = ask(sim, own, "impression", { surface, ad_id: "ad", session_id: "session" });
const words: Readonly<Record<string, string>> = {
  ...{ [own.id]: "OWN-ID", [own.apiKey]: "OWN-KEY", [surface]: "OWN-SURFACE" },
  [JSON.parse(made.body).impression_id]: "OWN-IMPRESSION",
  ...{ [other.id]: "OTHER-ID", [other.apiKey]: "OTHER-KEY" },
};
const almostRight = arbitraryRequest({ sim }).map(({ request }): ApiRequest => {
  let text = JSON.stringify(request);
  for (const [id, word] of Object.entries(words)) text = text.replaceAll(id, word);
  return JSON.parse(text);
});

/** Names and values that `arbitraryRequest` uses as flaws, and odder ones, for any place. */
const known = Object.values(operations).flatMap(({ parameters }) => Object.keys(parameters));
const name = fc.oneof(
  fc.constantFrom(...known),
  fc.constantFrom("__proto__", "constructor", "", "\0", "Publisher_Id"),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const value = fc.oneof(
  fc.constantFrom("OWN-ID", "OTHER-ID", "OWN-SURFACE", "OWN-IMPRESSION", "OWN-KEY"),
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
  fc.constantFrom("", "Bearer", "Bearer ", "bearer   OWN-KEY  ", "OWN-KEY", "Bearer OWN-KEYx"),
  fc.constantFrom("Bearer OWN-KEY, Bearer OTHER-KEY", "Basic eDp5"),
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

/** One such request. {@link filledIn} puts the ids of a world into it. */
export const anyRequest: fc.Arbitrary<ApiRequest> = fc
  .tuple(almostRight, fc.oneof({ withCrossShrink: true }, fc.constant({}), garbage))
  .map(([request, parts]: [ApiRequest, Partial<ApiRequest>]) => ({
    ...request,
    ...parts,
    headers: { ...request.headers, ...parts.headers },
  }));

/** The request with ids and keys in place of its placeholder words. */
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
