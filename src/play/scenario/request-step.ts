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
import { buildRequest, pairsOf } from "../../spec/build-request.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import type { PublisherRef, Reference, RequestStep, Value } from "./types.ts";

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
  const passing = publishers.flatMap(({ ref, id, surfaces }) =>
    typeof ref === "string" ? [id, ...surfaces.map(({ id }) => id)] : [],
  );

  function referenceTo(name: string, value: unknown, sender: StepPublisher): Reference | undefined {
    const answer = name === "impression_id" ? nameOf.get(value) : undefined;
    if (answer !== undefined) return { ref: `${answer}.impression_id` };
    for (const publisher of [sender, ...publishers]) {
      const path = pathTo(publisher);
      if (name === "publisher_id" && value === publisher.id) return { ref: `${path}.id` };
      const place = publisher.surfaces.findIndex(({ id }) => id === value);
      if (name === "surface" && place >= 0) return { ref: `${path}.surfaces.${place}.id` };
    }
    return undefined;
  }

  function withReferences(pairs: Fields, sender: StepPublisher): Readonly<Record<string, Value>> {
    const found = pairs.map(([name, value]) => {
      const plain = isScalar(value) ? value : null;
      return [name, referenceTo(name, value, sender) ?? plain] as const;
    });
    return Object.fromEntries(found);
  }

  /** The fields with references, if there are any, and if a scenario sends the same text for the fields. */
  function fieldsOf(text: string, pairs: Fields, written: string, sender: StepPublisher) {
    const fields = withReferences(pairs, sender);
    const isSame = written === text && pairs.every(([, one]) => isScalar(one));
    const refers = Object.values(fields).some((one) => typeof one === "object" && one !== null);
    return isSame && refers ? fields : undefined;
  }

  function rawOf({ request }: SentRequest, sender: StepPublisher): RequestStep {
    const { method, path, query, headers, body } = request;
    const pairs = [...new URLSearchParams(query)];
    const inQuery = fieldsOf(
      query,
      pairs,
      pairsOf(Object.entries(Object.fromEntries(pairs))),
      sender,
    );
    const isJson = body.startsWith("{") && headers["content-type"] !== undefined;
    const json = isJson ? Object(jsonIn(body)) : {};
    const inBody = fieldsOf(body, Object.entries(json), JSON.stringify(json), sender);
    const texts = [inQuery ? "" : query, inBody ? "" : body];
    const stays = passing.some((id) => texts.some((text) => text.includes(id)));
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

  /** Names the answer if a click refers to it. */
  function named({ operation, response, fault }: SentRequest): Pick<RequestStep, "as"> {
    const isWhole = fault === undefined || fault.received === "whole";
    const id = operation === "impression" && isWhole && eventIdIn(response, "impression");
    if (!id || !clicked.has(id) || nameOf.has(id)) return {};
    const as = `impression-${nameOf.size + 1}`;
    nameOf.set(id, as);
    return { as };
  }

  return {
    referenceTo,
    stepOf(exchange, sender) {
      const { operation } = exchange;
      const sent = sentAsOperation(exchange);
      // Scenarios fill in the publisher's own id.
      const values = sent?.values.filter(
        ([name, value]) => name !== "publisher_id" || value !== sender.id,
      );
      return {
        ...(operation === undefined || values === undefined
          ? rawOf(exchange, sender)
          : { [operation]: withReferences(values, sender), ...sent?.encoding }),
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
  return ["string", "number", "boolean"].includes(typeof value);
}

/**
 * Its parameters, how they are encoded, and the Content-Type that the step sends by default, if a step of its operation
 * sends the same request; undefined if only a raw step does.
 */
function sentAsOperation({ operation, request }: SentRequest) {
  if (operation === undefined || request.bodyBase64 !== undefined) return undefined;
  const parameters = Object.entries(operations[operation].parameters);
  const given = Object.fromEntries(parametersOf(request));
  const values = Object.entries(given);
  // A scenario adds missing parameters, and rejects unknown ones.
  const canBeGiven =
    values.every(([name, one]) => isKnown(operation, name) && (isScalar(one) || one === null)) &&
    parameters.every(([name, { required }]) => !required || name in given);
  if (!canBeGiven) return undefined;
  for (const encoding of ["json", "form", "query"] as const) {
    const built = buildRequest(operation, given, { encoding });
    const { method, path, query = "", body = "", headers } = built;
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

function isKnown(operation: OperationId, name: string): boolean {
  return Object.hasOwn(operations[operation].parameters, name);
}

/** Encodes what a scenario can't have in a URL. */
function encoded(text: string): string {
  const whole = text.toWellFormed();
  return whole.replaceAll(/[^!"$-~]+/g, (characters) => encodeURIComponent(characters));
}

/** `own` is the Content-Type that the step sends by default. */
function headersOf(
  { request }: SentRequest,
  sender: StepPublisher,
  own: string | undefined,
): Pick<RequestStep, "key" | "headers"> {
  const { authorization, ...others } = request.headers;
  const sent = Object.entries(others).filter(([name, value]) => {
    const isOwn = name === "content-type" && value === own;
    return !isOwn && !ambientHeaders.has(name);
  });
  const headers: Record<string, Value> = Object.fromEntries(
    sent.map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]),
  );
  const [scheme = "", ...rest] = authorization?.split(/ +/) ?? [];
  // Scenarios send "Bearer", which the service takes in any case.
  const isKey = /^bearer$/i.test(scheme) && rest.length === 1 && rest[0] === sender.apiKey;
  if (authorization === sender.apiKey) headers.authorization = { ref: `${pathTo(sender)}.apiKey` };
  else if (!isKey && authorization !== undefined)
    headers.authorization = rest.length === 0 ? "another-key" : `${scheme} another-key`;
  return { ...(!isKey && { key: null }), ...(Object.keys(headers).length > 0 && { headers }) };
}

/** Expects what the client saw, with a timeout if it stopped waiting. */
function expectationOf({ response, fault }: SentRequest): Pick<RequestStep, "expect" | "timeout"> {
  const { status } = response;
  if (fault === undefined) return { expect: { status } };
  const waited = fault.delayMs > 0 || slow.includes(fault.kind);
  // Whether it left before an answer came, or none ever came.
  if (fault.received === "nothing")
    return { ...(waited && { timeout: "1ms" }), expect: { outcome: ["lost", "timed-out"] } };
  const isCut = fault.kind === "truncate" && fault.received === "part";
  return {
    ...(waited && { timeout: "24h" }),
    expect: isCut ? { outcome: "cut", status } : { status },
  };
}
