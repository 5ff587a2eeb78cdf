/** What can be wrong with a request beside its parameters: body, query, key, method and path. */

import { pairsOf } from "../../../spec/request-of.ts";
import type { Draft } from "./draft.ts";
import {
  bodiesOf,
  type FlawAbout,
  type FlawKind,
  type Spoiling,
  withJson,
  withPairs,
} from "./flaw.ts";

/** Bytes and characters beyond which nothing is read. */
const TOO_LARGE_BYTES = 65_537;
const TOO_LONG_CHARACTERS = 8193;

/** All flaws that a request of the operation can have, under the readings in force. */
export function flawsOfSending(about: FlawAbout): Spoiling[] {
  return [
    ...flawsOfBody(about),
    ...flawsOfEncoding(about),
    ...flawsOfKey(about),
    ...flawsOfTarget(about),
  ];
}

function flawsOfBody(about: FlawAbout): Spoiling[] {
  const { json, form } = bodiesOf(about);
  const flaws: Spoiling[] = [];
  const is = (kind: FlawKind, ...spoils: Spoiling["spoil"][]): void => {
    flaws.push(...spoils.map((spoil) => ({ kind, spoil })));
  };
  if (json) {
    const texts = ["{", "{'a':1}", '{"a":1}}', "undefined", '{"a":}', "\u0000"];
    const others = ["[]", "null", "7", '"text"', "true", "[{}]"];
    is("broken-json", ...texts.map((text) => withJson(() => text)));
    is(
      "broken-json",
      withJson((draft) => jsonOf(draft).slice(0, -1)),
    );
    is("not-an-object", ...others.map((text) => withJson(() => text)));
    is(
      "invalid-utf-8",
      withJson((draft) => withBadByte(jsonOf(draft))),
    );
  }
  if (json || form) {
    const empty = (draft: Draft): Draft => ({ ...draft, raw: { query: "", body: "" } });
    const carrier = json ? "json" : "form";
    is("empty-body", (draft) => empty({ ...draft, carrier }));
  }
  if (form) {
    is("invalid-utf-8", (draft) => ({
      ...draft,
      carrier: "form",
      raw: { query: "", body: withBadByte(pairsOf(draft.values)) },
    }));
  }
  if (about.operation.method === "POST") {
    is(
      "body-too-large",
      withJson((draft) => " ".repeat(TOO_LARGE_BYTES) + jsonOf(draft)),
    );
  } else {
    const padding = `&x=${"y".repeat(TOO_LONG_CHARACTERS)}`;
    is(
      "query-too-long",
      withPairs(about, ({ values }) => pairsOf(values) + padding),
    );
  }
  return flaws;
}

function jsonOf({ values }: Draft): string {
  return JSON.stringify(Object.fromEntries(values));
}

/** A byte that no UTF-8 has, before the last character. */
function withBadByte(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array([...bytes.subarray(0, -1), 0xff, ...bytes.subarray(-1)]);
}

/** A body that is labelled as something else, or that is no way to send parameters as the spec is read. */
function flawsOfEncoding(about: FlawAbout): Spoiling[] {
  const { json, form, query } = bodiesOf(about);
  if (about.operation.method === "GET") return [];
  const flaws: Spoiling[] = [];
  const carrier = json ? "json" : "form";
  const headers = [
    { "content-type": "text/plain" },
    { "content-type": "application/json; charset=latin1" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-encoding": "gzip" },
  ];
  if (json || form) {
    for (const sent of headers) {
      const spoil = (draft: Draft): Draft => ({ ...draft, carrier, headers: sent });
      flaws.push({ kind: "wrong-content-type", spoil });
    }
  }
  const unread = [
    json ? [] : ["json" as const],
    form ? [] : ["form" as const],
    query ? [] : ["query" as const],
  ];
  for (const other of unread.flat()) {
    flaws.push({ kind: "wrong-encoding", spoil: (draft) => ({ ...draft, carrier: other }) });
  }
  return flaws;
}

function flawsOfKey({ operation, scene, sender }: FlawAbout): Spoiling[] {
  const { assumptions, senders, oldKeys } = scene;
  const is = (kind: FlawKind, authorization: string | undefined): Spoiling => ({
    kind,
    spoil: (draft) => ({ ...draft, authorization }),
  });
  const flaws = [
    is("no-key", undefined),
    ...["Bearer", "Basic dXNlcjpwYXNz", "nobody", "Bearer a b", "Token nobody"].map((text) =>
      is("malformed-authorization", text),
    ),
    is("wrong-key", "Bearer nobody"),
    ...oldKeys.map((key) => is("old-key", `Bearer ${key}`)),
  ];
  if (assumptions["auth.scheme-case"] === "exact") {
    flaws.push(is("malformed-authorization", `bearer ${sender.apiKey}`));
  }
  // A click names no publisher: another's key makes its impression one that doesn't exist.
  const isStray = !("publisher_id" in operation.parameters);
  const passes = isStray && assumptions["click.unknown"] === "accept-uncredited";
  if (assumptions["auth.key-scope"] === "publisher" && !passes) {
    for (const { id, apiKey } of senders) {
      if (id !== sender.id) flaws.push(is("foreign-key", `Bearer ${apiKey}`));
    }
  }
  return flaws;
}

function flawsOfTarget({ operation, scene }: FlawAbout): Spoiling[] {
  const { method, path } = operation;
  const { "http.head": head, "http.trailing-slash": slash } = scene.assumptions;
  const is = (kind: FlawKind, target: Partial<Pick<Draft, "method" | "path">>): Spoiling => ({
    kind,
    spoil: (draft) => ({ ...draft, method, path, ...target }),
  });
  const wrong = ["PUT", "DELETE", "PATCH", method === "GET" ? "POST" : "GET"];
  const paths = [
    path.replace("/v1/", "/v2/"),
    `${path}s`,
    `${path}/x`,
    path.toUpperCase(),
    path.slice(3),
    "/v1/nothing",
  ];
  return [
    ...wrong.map((other) => is("wrong-method", { method: other })),
    ...(method === "POST" || head === "405" ? [is("head", { method: "HEAD" })] : []),
    ...paths.map((other) => is("unknown-path", { path: other })),
    ...(slash === "404" ? [is("trailing-slash", { path: `${path}/` })] : []),
  ];
}
