/** Flaws outside the parameters: body, query, key, method and path. */

import { pairsOf } from "../../../spec/build-request.ts";
import type { Draft } from "./draft.ts";
import {
  bodiesOf,
  type FlawAbout,
  type FlawKind,
  flaws,
  type Mutation,
  withJson,
  withPairs,
} from "./flaw.ts";

/** Just above the limits of the service. */
const TOO_LARGE_BYTES = 65_537;
const TOO_LONG_CHARACTERS = 8193;

/** All such flaws that a request of the operation can have under the current assumptions. */
export function flawsOfSending(about: FlawAbout): Mutation[] {
  return [
    ...flawsOfBody(about),
    ...flawsOfEncoding(about),
    ...flawsOfKey(about),
    ...flawsOfTarget(about),
  ];
}

function flawsOfBody(about: FlawAbout): Mutation[] {
  const { json, form } = bodiesOf(about);
  const texts = ["{", "{'a':1}", '{"a":1}}', "undefined", '{"a":}', "\u0000"];
  const others = ["[]", "null", "7", '"text"', "true", "[{}]"];
  const padding = `&x=${"y".repeat(TOO_LONG_CHARACTERS)}`;
  const inJson = [
    ...flaws("broken-json", [
      ...texts.map((text) => withJson(() => text)),
      withJson((draft) => jsonOf(draft).slice(0, -1)),
    ]),
    ...flaws(
      "not-an-object",
      others.map((text) => withJson(() => text)),
    ),
    ...flaws("invalid-utf-8", [withJson((draft) => withBadByte(jsonOf(draft)))]),
  ];
  const inForm = flaws("invalid-utf-8", [
    withPairs(about, (draft) => withBadByte(pairsOf(draft.values))),
  ]);
  const empty = (draft: Draft): Draft => ({
    ...draft,
    carrier: json ? "json" : "form",
    raw: { query: "", body: "" },
  });
  return [
    ...(json ? inJson : []),
    ...(json || form ? flaws("empty-body", [empty]) : []),
    ...(form ? inForm : []),
    ...(about.operation.method === "POST"
      ? flaws("body-too-large", [withJson((draft) => " ".repeat(TOO_LARGE_BYTES) + jsonOf(draft))])
      : flaws("query-too-long", [withPairs(about, ({ values }) => pairsOf(values) + padding)])),
  ];
}

function jsonOf({ values }: Draft): string {
  return JSON.stringify(Object.fromEntries(values));
}

/** Adds a byte that is invalid in UTF-8 before the last character. */
function withBadByte(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array([...bytes.subarray(0, -1), 0xff, ...bytes.subarray(-1)]);
}

/** A body with a wrong label, or in an encoding that the service doesn't read. */
function flawsOfEncoding(about: FlawAbout): Mutation[] {
  const read = bodiesOf(about);
  if (about.operation.method === "GET") return [];
  const types = [
    { "content-type": "text/plain" },
    { "content-type": "application/json; charset=latin1" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-encoding": "gzip" },
  ];
  const carrier = read.json ? "json" : "form";
  const mislabelled = types.map((headers) => changed({ carrier, headers }));
  const unread = (["json", "form", "query"] as const).filter((one) => !read[one]);
  return [
    ...(read.json || read.form ? flaws("wrong-content-type", mislabelled) : []),
    ...flaws(
      "wrong-encoding",
      unread.map((other) => changed({ carrier: other })),
    ),
  ];
}

function changed(changes: Partial<Draft>): Mutation["corrupt"] {
  return (draft) => ({ ...draft, ...changes });
}

function flawsOfKey({ context, sender }: FlawAbout): Mutation[] {
  const { assumptions, senders, oldKeys } = context;
  const malformed = ["Bearer", "Basic dXNlcjpwYXNz", "nobody", "Bearer a b", "Token nobody"];
  const isForeign = assumptions["auth.key-scope"] !== "any";
  const others = isForeign ? senders.filter(({ id }) => id !== sender.id) : [];
  const is = (kind: FlawKind, sent: readonly (string | undefined)[]): Mutation[] =>
    flaws(
      kind,
      sent.map((authorization) => changed({ authorization })),
    );
  return [
    ...is("no-key", [undefined]),
    ...is("malformed-authorization", malformed),
    ...is("wrong-key", ["Bearer nobody"]),
    ...is(
      "old-key",
      oldKeys.map((key) => `Bearer ${key}`),
    ),
    ...is(
      "foreign-key",
      others.map(({ apiKey }) => `Bearer ${apiKey}`),
    ),
  ];
}

function flawsOfTarget({ operation }: FlawAbout): Mutation[] {
  const { method, path } = operation;
  const is = (
    kind: FlawKind,
    ...targets: readonly Partial<Pick<Draft, "method" | "path">>[]
  ): Mutation[] =>
    flaws(
      kind,
      targets.map((target) => changed({ method, path, ...target })),
    );
  const methods = ["PUT", "DELETE", "PATCH", method === "GET" ? "POST" : "GET"];
  const paths = [
    path.replace("/v1/", "/v2/"),
    `${path}s`,
    `${path}/x`,
    path.toUpperCase(),
    path.slice(3),
    "/v1/nothing",
  ];
  return [
    ...is("wrong-method", ...methods.map((other) => ({ method: other }))),
    ...(method === "POST" ? is("head", { method: "HEAD" }) : []),
    ...is("unknown-path", ...paths.map((other) => ({ path: other }))),
    ...is("trailing-slash", { path: `${path}/` }),
  ];
}
