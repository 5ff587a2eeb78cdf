/**
 * Turns a request that arrived into a step of a scenario: an operation, or a raw request if scenarios send it
 * differently. Ids that depend on the seed become references. Keys are left out.
 */

import { ambientHeaders } from "../../audit/nearest/curl-of-request.ts";
import { slow } from "../../faults/verdict.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { eventIdIn, parametersOf, valuesOf } from "../../journal/entry-values.ts";
import { isSecretHeader, REDACTED } from "../../journal/secrets.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { buildRequest, type Encoding, encodingOf } from "../../spec/build-request.ts";
import { type OperationId, operations } from "../../spec/operations.ts";
import type { Publisher, Surface } from "../../world/accounts/account.ts";
import type { AnswerExpectation, PublisherRef, RequestStep, Value } from "./types.ts";

/** What a step is made of: members of a journal's entry. */
export interface SentRequest extends Pick<JournalEntry, "operation" | "request"> {
  readonly response: { readonly status: number; readonly body: string | undefined };
  readonly fault?: JournalEntry["fault"];
}

export interface RequestSteps {
  /** Call it for each request in order: a step can refer to earlier answers. */
  stepOf(sent: SentRequest): RequestStep;
  /** The request that another program sends to spend a limit. */
  spent(of: "recording" | "reporting"): RequestStep;
}

/** What the steps depend on. */
interface RequestSource {
  /** All that will become steps. */
  readonly exchanges: readonly Pick<SentRequest, "request">[];
  readonly assumptions: Pick<Assumptions, "request.encoding">;
  readonly publisher: Pick<Publisher, "id" | "apiKey"> & {
    readonly surfaces: readonly Pick<Surface, "id">[];
  };
  /** The active ones. */
  readonly surfaces: readonly Pick<Surface, "id">[];
}

/** @param prefix Begins the names of answers. Steps for several publishers need different ones. */
export function createRequestSteps(
  { publisher, surfaces, exchanges, assumptions }: RequestSource,
  publisherRef: PublisherRef,
  prefix = "",
): RequestSteps {
  const whole = typeof publisherRef === "number" ? `publishers.${publisherRef}` : publisherRef;
  const sender = publisherRef === 0 ? {} : { publisher: publisherRef };
  const clicked = new Set(exchanges.map(({ request }) => valuesOf(request).get("impression_id")));
  const keys = { apiKey: publisher.apiKey, whole };
  const nameOf = new Map<unknown, string>();

  function referred(name: string, value: unknown): Value {
    if (name === "impression_id") {
      const answer = nameOf.get(value);
      if (answer !== undefined) return { ref: `${answer}.impression_id` };
    }
    if (name === "publisher_id" && value === publisher.id) return { ref: `${whole}.id` };
    if (name === "surface") {
      const place = publisher.surfaces.findIndex(({ id }) => id === value);
      if (place >= 0) return { ref: `${whole}.surfaces.${place}.id` };
    }
    const isScalar =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isScalar ? value : null;
  }

  /** The parameters as a scenario has them, without the publisher's own id, which scenarios fill in. */
  function parametersFor(
    values: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, Value>> {
    const entries = Object.entries(values)
      .filter(([name, value]) => name !== "publisher_id" || value !== publisher.id)
      .map(([name, value]): [string, Value] => [name, referred(name, value)]);
    return Object.fromEntries(entries);
  }

  /** Names the answer if a click refers to it. */
  function named({ operation, response, fault }: SentRequest): Pick<RequestStep, "as"> {
    const isWhole = fault === undefined || fault.received === "whole";
    const id =
      operation === "impression" && isWhole ? eventIdIn(response, "impression") : undefined;
    if (id === undefined || !clicked.has(id) || nameOf.has(id)) return {};
    const as = `${prefix}impression-${nameOf.size + 1}`;
    nameOf.set(id, as);
    return { as };
  }

  return {
    stepOf(exchange) {
      const { operation } = exchange;
      const sent = sentAsOperation(exchange);
      const request =
        operation === undefined || sent === undefined
          ? rawOf(exchange)
          : { [operation]: parametersFor(sent.values), ...sent.encoding };
      return {
        ...request,
        ...sender,
        ...headersOf(exchange, keys, sent?.contentType),
        ...named(exchange),
        ...expectationOf(exchange),
      };
    },
    spent(of) {
      if (of === "reporting") return { stats: {}, ...sender };
      const surface = referred("surface", surfaces[0]?.id);
      const names = { ad_id: "another-ad", session_id: "another-session" };
      const encoding = encodingOf(assumptions);
      return {
        impression: { surface, ...names },
        ...(encoding !== "json" && { encoding }),
        ...sender,
      };
    },
  };
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

function rawOf({ request }: SentRequest): RequestStep {
  const { method, path, query, body } = request;
  return {
    raw: {
      method,
      path: encoded(path),
      ...(query !== "" && { query: encoded(query) }),
      ...(body !== "" && { body }),
    },
  };
}

/** Encodes what a scenario can't have in a URL. */
function encoded(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^!"$-~]+/g, (characters) => encodeURIComponent(characters));
}

/** Header values that every HTTP client sends unchanged. */
const sendable = /^([\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?)?$/;

interface StepSender {
  readonly apiKey: string;
  /** The prefix of references to the publisher. */
  readonly whole: string;
}

/** `own` is the Content-Type that the step sends by default. */
function headersOf(
  { request }: SentRequest,
  { apiKey, whole }: StepSender,
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
  const isKey = /^bearer$/i.test(scheme) && rest.length === 1 && rest[0] === apiKey;
  if (!isKey && authorization !== undefined) {
    headers.authorization =
      authorization === apiKey
        ? { ref: `${whole}.apiKey` }
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
