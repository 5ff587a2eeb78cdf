/** A request step as the request that is sent: what it doesn't say is filled in from whoever sends it. */

import { type Duration, durationMs } from "../../base/duration.ts";
import type { Member, Outgoing } from "../../laws/seen-exchange.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../spec/operations.ts";
import { contentTypes, pairsOf, requestOf } from "../../spec/request-of.ts";
import type { RequestStep, Value } from "../language/scenario.ts";
import type { Playing } from "./effects.ts";
import { type Found, found, unknown } from "./names.ts";
import { resolveValue, resolveValues, type Scope } from "./values.ts";

const DEFAULT_TIMEOUT: Duration = "10s";

/** The operation that a step asks for; undefined for a raw request. */
function operationOf(step: RequestStep): OperationId | undefined {
  return operationIds.find((id) => step[id] !== undefined);
}

export function* outgoingOf(
  step: RequestStep,
  sender: Member,
  scope: Scope,
): Playing<Found<Outgoing>> {
  const operation = operationOf(step);
  const headers = yield* headersOf(step, sender, scope);
  if (headers.kind === "unknown") return headers;
  const request =
    operation === undefined
      ? yield* rawRequest(step, headers.value, scope)
      : yield* operationRequest(operation, step, headers.value, sender, scope);
  if (request.kind === "unknown") return request;
  const timeoutMs = durationMs(step.timeout ?? DEFAULT_TIMEOUT);
  return found({ operation, request: request.value, timeoutMs });
}

type Headers = Readonly<Record<string, string>>;

function* headersOf(step: RequestStep, sender: Member, scope: Scope): Playing<Found<Headers>> {
  const key = step.key === undefined ? found(sender.apiKey) : yield* resolveValue(step.key, scope);
  if (key.kind === "unknown") return key;
  const given = yield* resolveValues(step.headers ?? {}, scope);
  if (given.kind === "unknown") return given;
  const headers = Object.entries(given.value).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  const authorization = key.value === null ? {} : { authorization: `Bearer ${key.value}` };
  return found({ ...authorization, ...Object.fromEntries(headers) });
}

function* operationRequest(
  id: OperationId,
  step: RequestStep,
  headers: Headers,
  sender: Member,
  scope: Scope,
): Playing<Found<ApiRequest>> {
  const { parameters } = operations[id];
  const given = yield* resolveValues(step[id] ?? {}, scope);
  if (given.kind === "unknown") return given;
  const own: Readonly<Record<string, string | undefined>> = {
    publisher_id: sender.id,
    surface: sender.surfaces[0]?.id,
    ad_id: "ad-1",
  };
  const filled = Object.entries(parameters)
    .filter(([name, { required }]) => required && !Object.hasOwn(given.value, name))
    .map(([name]) => [name, own[name]]);
  const values = { ...Object.fromEntries(filled), ...given.value };
  return found(requestOf(id, values, { headers, encoding: step.encoding }));
}

function* rawRequest(
  { raw }: RequestStep,
  headers: Headers,
  scope: Scope,
): Playing<Found<ApiRequest>> {
  if (raw === undefined) return unknown("the step asks for nothing");
  const { method, path } = raw;
  const query = yield* textOr(raw.query, scope);
  if (query.kind === "unknown") return query;
  const body = yield* textOr(raw.body, scope);
  if (body.kind === "unknown") return body;
  const isJson = typeof body.value === "object";
  return found({
    method,
    path,
    headers: isJson ? { "content-type": contentTypes.json, ...headers } : headers,
    ...(query.value !== undefined && {
      query: typeof query.value === "string" ? query.value : pairsOf(Object.entries(query.value)),
    }),
    ...(body.value !== undefined && {
      body: typeof body.value === "string" ? body.value : JSON.stringify(body.value),
    }),
  });
}

function* textOr(
  given: string | Readonly<Record<string, Value>> | undefined,
  scope: Scope,
): Playing<Found<string | Readonly<Record<string, unknown>> | undefined>> {
  if (typeof given !== "object") return found(given);
  return yield* resolveValues(given, scope);
}
