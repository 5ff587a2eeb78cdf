/**
 * Turns a request that arrived into a step of a scenario: an operation, or a raw request if scenarios send it
 * differently. Ids that depend on the seed become references. Keys are left out.
 */

import { ambientHeaders } from "../../audit/nearest/curl-of-request.ts";
import { jsonIn } from "../../base/parse-json.ts";
import { slow } from "../../faults/verdict.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { eventIdIn, parametersOf, valuesOf } from "../../journal/entry-values.ts";
import { isSecretHeader, REDACTED } from "../../journal/secrets.ts";
import { buildRequest, type Encoding, pairsOf } from "../../spec/build-request.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import type { AnswerExpectation, PublisherRef, Reference, RequestStep, Value } from "./types.ts";

/** What a step is made of: members of a journal's entry. */
export interface SentRequest extends Pick<JournalEntry, "operation" | "request"> {
  readonly response: { readonly status: number; readonly body: string | undefined };
  readonly fault?: JournalEntry["fault"];
}

/** A publisher as steps name it. Its ids become references. */
export interface StepPublisher {
  /** Its ordinal in the scenario's world, or the name of the step that signs it up. */
  readonly ref: PublisherRef;
  readonly id: string;
  readonly apiKey: string;
  readonly surfaces: readonly { readonly id: string }[];
}

export interface RequestSteps {
  /** Call it for each request in order: a step can refer to earlier answers. */
  stepOf(sent: SentRequest, sender: StepPublisher): RequestStep;
  /** The reference to what a parameter or a member of a body names; undefined if it isn't known. */
  referenceTo(name: string, value: unknown, sender: StepPublisher): Reference | undefined;
}

/** @param exchanges All that will become steps. @param publishers All that the scenario has. */
export function createRequestSteps(
  exchanges: readonly Pick<SentRequest, "request">[],
  publishers: readonly StepPublisher[],
): RequestSteps {
  const clicked = new Set(exchanges.map(({ request }) => valuesOf(request).get("impression_id")));
  const nameOf = new Map<unknown, string>();
  /** Ids that another world doesn't have. */
  const passing = new Set<string>();
  for (const { ref, id, surfaces } of publishers)
    if (typeof ref === "string")
      for (const one of [id, ...surfaces.map(({ id }) => id)]) passing.add(one);

  function referenceTo(name: string, value: unknown, sender: StepPublisher): Reference | undefined {
    const answer = name === "impression_id" ? nameOf.get(value) : undefined;
    if (answer !== undefined) return { ref: `${answer}.impression_id` };
    for (const publisher of [sender, ...publishers]) {
      if (name === "publisher_id" && value === publisher.id)
        return { ref: `${pathTo(publisher)}.id` };
      const place =
        name === "surface" ? publisher.surfaces.findIndex(({ id }) => id === value) : -1;
      if (place >= 0) return { ref: `${pathTo(publisher)}.surfaces.${place}.id` };
    }
    return undefined;
  }

  /** Names the answer if a click refers to it. */
  function named({ operation, response, fault }: SentRequest): Pick<RequestStep, "as"> {
    const isWhole = fault === undefined || fault.received === "whole";
    const id =
      operation === "impression" && isWhole ? eventIdIn(response, "impression") : undefined;
    if (id === undefined || !clicked.has(id) || nameOf.has(id)) return {};
    const as = `impression-${nameOf.size + 1}`;
    nameOf.set(id, as);
    return { as };
  }

  /** The parameters as a scenario has them, without the publisher's own id, which scenarios fill in. */
  function valuesFor(values: Record<string, unknown>, sender: StepPublisher) {
    const entries = Object.entries(values)
      .filter(([name, value]) => name !== "publisher_id" || value !== sender.id)
      .map(([name, value]) => [name, referenceTo(name, value, sender) ?? scalar(value)]);
    return Object.fromEntries(entries) as Readonly<Record<string, Value>>;
  }

  /** The fields with references, if there are any, and if a scenario sends the same text for them. */
  function fieldsOf(
    text: string,
    pairs: Fields,
    write: (pairs: Fields) => string,
    sender: StepPublisher,
  ) {
    const fields = Object.fromEntries(pairs);
    const isSame =
      write(Object.entries(fields)) === text && pairs.every(([, one]) => isScalar(one));
    const found = pairs.map(
      ([name, value]) => [name, referenceTo(name, value, sender) ?? scalar(value)] as const,
    );
    const refers = found.some(([, value]) => typeof value === "object" && value !== null);
    return isSame && refers
      ? (Object.fromEntries(found) as Readonly<Record<string, Value>>)
      : undefined;
  }

  function rawOf({ request }: SentRequest, sender: StepPublisher): RequestStep {
    const { method, path, query, headers, body } = request;
    const inQuery = fieldsOf(query, [...new URLSearchParams(query)], pairsOf, sender);
    const isJson = body.startsWith("{") && headers["content-type"] !== undefined;
    const members: Fields = isJson ? Object.entries(Object(jsonIn(body))) : [];
    const inBody = fieldsOf(
      body,
      members,
      (pairs) => JSON.stringify(Object.fromEntries(pairs)),
      sender,
    );
    const texts = [inQuery ? "" : query, inBody ? "" : body];
    const stays = [...passing].some((id) => texts.some((text) => text.includes(id)));
    return {
      raw: {
        method,
        path: encoded(path),
        ...(query !== "" && { query: inQuery ?? encoded(query) }),
        ...(body !== "" && { body: inBody ?? body }),
      },
      ...(stays && { note: "It has ids of the recorded world, which no other world has." }),
    };
  }

  return {
    referenceTo,
    stepOf(exchange, sender) {
      const { operation } = exchange;
      const sent = sentAsOperation(exchange);
      const request =
        operation === undefined || sent === undefined
          ? rawOf(exchange, sender)
          : { [operation]: valuesFor(sent.values, sender), ...sent.encoding };
      return {
        ...request,
        ...(sender.ref !== 0 && { publisher: sender.ref }),
        ...headersOf(exchange, sender, sent?.contentType),
        ...named(exchange),
        ...expectationOf(exchange),
      };
    },
  };
}

type Fields = readonly (readonly [name: string, value: unknown])[];

function pathTo({ ref }: StepPublisher): string {
  return typeof ref === "number" ? `publishers.${ref}` : ref;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function scalar(value: unknown): Value {
  return isScalar(value) ? value : null;
}

interface Plain {
  readonly values: Readonly<Record<string, unknown>>;
  readonly encoding: Pick<RequestStep, "encoding">;
  /** The Content-Type that the scenario's request gets by default. */
  readonly contentType: string | undefined;
}

const encodings = ["json", "form", "query"] as const satisfies readonly Encoding[];

/** Its parameters, if a step of its operation sends the same request; undefined if only a raw step does. */
function sentAsOperation({ operation, request }: SentRequest): Plain | undefined {
  if (operation === undefined || request.bodyBase64 !== undefined) return undefined;
  const values = Object.fromEntries(parametersOf(request));
  if (!canBeGiven(operation, values)) return undefined;
  for (const encoding of encodings) {
    const {
      method,
      path,
      query = "",
      body = "",
      headers,
    } = buildRequest(operation, values, { encoding });
    const contentType = headers?.["content-type"];
    // The service reads a body without a Content-Type differently.
    const isTyped = contentType === undefined || request.headers["content-type"] !== undefined;
    const isSame = method === request.method && path === request.path && query === request.query;
    if (isTyped && isSame && body === request.body) {
      const isUsual = method === "GET" || encoding === "json";
      return { values, encoding: isUsual ? {} : { encoding }, contentType };
    }
  }
  return undefined;
}

/** Whether a step can have exactly these parameters: a scenario adds missing ones, and rejects unknown ones. */
function canBeGiven(id: OperationId, values: Readonly<Record<string, unknown>>): boolean {
  const { parameters } = operations[id];
  const isPlain = Object.values(values).every((one) => typeof one !== "object" || one === null);
  return (
    isPlain &&
    Object.keys(values).every((name) => Object.hasOwn(parameters, name)) &&
    Object.entries(parameters).every(([name, { required }]) => !required || name in values)
  );
}

/** Encodes what a scenario can't have in a URL. */
function encoded(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^!"$-~]+/g, (characters) => encodeURIComponent(characters));
}

/** Header values that every HTTP client sends unchanged. */
const sendable = /^([\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/** `own` is the Content-Type that the step sends by default. */
function headersOf(
  { request }: SentRequest,
  sender: StepPublisher,
  own: string | undefined,
): Pick<RequestStep, "key" | "headers"> {
  const headers: Record<string, Value> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    const isOwn = name === "content-type" && value === own;
    if (name === "authorization" || isOwn || ambientHeaders.has(name)) continue;
    if (!sendable.test(value)) continue;
    headers[name] = isSecretHeader(name) ? REDACTED : value;
  }
  const { authorization } = request.headers;
  const [scheme = "", ...rest] = authorization?.split(/ +/) ?? [];
  // Scenarios send "Bearer", which the service takes in any case.
  const isKey = /^bearer$/i.test(scheme) && rest.length === 1 && rest[0] === sender.apiKey;
  if (!isKey && authorization !== undefined) {
    headers.authorization =
      authorization === sender.apiKey
        ? { ref: `${pathTo(sender)}.apiKey` }
        : [...(rest.length === 0 ? [] : [scheme]), "another-key"].join(" ");
  }
  return {
    ...(!isKey && { key: null }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** Expects what the client saw, with a timeout if it stopped waiting. */
function expectationOf({ response, fault }: SentRequest): Pick<RequestStep, "expect" | "timeout"> {
  const { status } = response;
  if (fault === undefined) return { expect: { status } };
  const waited = fault.delayMs > 0 || slow.includes(fault.kind);
  // Whether it left before an answer came, or none ever came.
  if (fault.received === "nothing") {
    return { ...(waited && { timeout: "1ms" }), expect: { outcome: ["lost", "timed-out"] } };
  }
  const isCut = fault.kind === "truncate" && fault.received === "part";
  const expect: AnswerExpectation = isCut ? { outcome: "cut", status } : { status };
  return { ...(waited && { timeout: "24h" }), expect };
}
