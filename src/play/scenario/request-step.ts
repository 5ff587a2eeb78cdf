/**
 * Turns a request that arrived into a step of a scenario: of its operation, with references in place of ids, or raw and
 * unchanged if a step of its operation would send it differently. Keys are left out.
 */

import { ambientHeaders } from "../../audit/nearest/curl.ts";
import { slow } from "../../faults/verdict.ts";
import { eventIdIn, type JournalEntry, parametersOf, valuesOf } from "../../journal/entry.ts";
import { isSecretHeader } from "../../journal/shown-entry.ts";
import { buildRequest } from "../../spec/build-request.ts";
import { operations } from "../../spec/operations.ts";
import type { PublisherRef, Reference, RequestStep, Value } from "./types.ts";

/** What a step is made of: members of a journal's entry. */
export interface SentRequest extends Pick<JournalEntry, "operation" | "request"> {
  readonly response: { readonly status: number; readonly body: string | undefined };
  readonly fault?: JournalEntry["fault"];
}

/** A publisher as steps name it. */
export interface StepPublisher {
  /** Its ordinal in the scenario's world, or the name of the step that signs it up. */
  readonly ref: PublisherRef;
  readonly id: string;
  readonly apiKey: string;
  readonly surfaces: readonly { readonly id: string }[];
}

export type RequestSteps = ReturnType<typeof createRequestSteps>;

/** @param exchanges All that will become steps. @param publishers All that the scenario has. */
export function createRequestSteps(
  exchanges: readonly Pick<SentRequest, "request">[],
  publishers: readonly StepPublisher[],
) {
  const clicked = new Set(exchanges.map(({ request }) => valuesOf(request).get("impression_id")));
  /** Names of answers by the ids in them. */
  const nameOf = new Map<unknown, string>();
  /** Ids that another world doesn't have. */
  const passing = publishers.flatMap(({ ref, id, surfaces }) =>
    typeof ref === "string" ? [id, ...surfaces.map(({ id }) => id)] : [],
  );

  /** The reference to what a parameter or a member of a body names; undefined if it isn't known. */
  function referenceTo(name: string, value: unknown, sender: StepPublisher): Reference | undefined {
    const answer = name === "impression_id" ? nameOf.get(value) : undefined;
    if (answer !== undefined) return { ref: `${answer}.impression_id` };
    for (const publisher of [sender, ...publishers]) {
      const { id, surfaces } = publisher;
      const path = pathTo(publisher);
      if (name === "publisher_id" && value === id) return { ref: `${path}.id` };
      const place = surfaces.findIndex(({ id }) => id === value);
      if (name === "surface" && place >= 0) return { ref: `${path}.surfaces.${place}.id` };
    }
    return undefined;
  }

  function requestOf({ request }: SentRequest, sent: SentParts | undefined, sender: StepPublisher) {
    if (sent === undefined) {
      const { method, path, query, body } = request;
      const isPassing = passing.some((id) => query.includes(id) || body.includes(id));
      return {
        raw: { method, path, ...(query !== "" && { query }), ...(body !== "" && { body }) },
        ...(isPassing && { note: "It has ids of the recorded world, which no other world has." }),
      };
    }
    // Scenarios fill in the publisher's own id.
    const values = sent.values.filter(
      ([name, one]) => name !== "publisher_id" || one !== sender.id,
    );
    const parameters = values.map(([name, one]) => [name, referenceTo(name, one, sender) ?? one]);
    const encoding = sent.encoding === "json" ? {} : { encoding: sent.encoding };
    return { [sent.operation]: Object.fromEntries(parameters), ...encoding };
  }

  /** Names the answer if a click refers to it. */
  function named({ operation, response, fault }: SentRequest, { ref }: StepPublisher) {
    const isWhole = fault === undefined || fault.received === "whole";
    const id = operation === "impression" && isWhole && eventIdIn(response, "impression");
    if (!id || !clicked.has(id) || nameOf.has(id)) return {};
    const as = `impression-${nameOf.size + 1}`;
    nameOf.set(id, as);
    if (typeof ref === "string") passing.push(id);
    return { as };
  }

  /** Call it for each request in order: a step can refer to earlier answers. */
  function stepOf(exchange: SentRequest, sender: StepPublisher): RequestStep {
    const sent = sentAsOperation(exchange);
    return {
      ...requestOf(exchange, sent, sender),
      ...(sender.ref !== 0 && { publisher: sender.ref }),
      ...headersOf(exchange, sender, sent?.contentType),
      ...named(exchange, sender),
      ...expectationOf(exchange),
    };
  }

  return { stepOf, referenceTo };
}

type SentParts = NonNullable<ReturnType<typeof sentAsOperation>>;

function pathTo({ ref }: StepPublisher): string {
  return typeof ref === "number" ? `publishers.${ref}` : ref;
}

/** How a step of its operation sends the same request; undefined if none does. */
function sentAsOperation({ operation, request }: SentRequest) {
  if (operation === undefined || request.bodyBase64 !== undefined) return undefined;
  const { parameters } = operations[operation];
  const given = Object.fromEntries(parametersOf(request));
  const values = Object.entries(given);
  // A scenario adds missing parameters, and rejects unknown ones.
  const isWhole = Object.entries(parameters).every(([name, one]) => !one.required || name in given);
  const isKnown = values.every(([name, one]) => {
    return Object.hasOwn(parameters, name) && Object(one) !== one;
  });
  if (!isWhole || !isKnown) return undefined;
  for (const encoding of ["json", "form", "query"] as const) {
    const built = buildRequest(operation, given, { encoding });
    const { method, path, query = "", body = "", headers } = built;
    const contentType = headers?.["content-type"];
    // The service reads a body without a Content-Type differently.
    const isTyped = contentType === undefined || request.headers["content-type"] !== undefined;
    const isSame = method === request.method && path === request.path && query === request.query;
    if (isTyped && isSame && body === request.body)
      return { operation, values, encoding, contentType };
  }
  return undefined;
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
    return !isOwn && !ambientHeaders.has(name) && !isSecretHeader(name);
  });
  const headers: Record<string, Value> = Object.fromEntries(sent);
  // Scenarios send "Bearer", which the service takes in any case.
  const isKey = /^bearer +(.*)/i.exec(authorization ?? "")?.[1] === sender.apiKey;
  if (authorization === sender.apiKey) headers.authorization = { ref: `${pathTo(sender)}.apiKey` };
  else if (!isKey && authorization !== undefined)
    headers.authorization = authorization.replace(/^(\S+ )?.*/s, "$1another-key");
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
