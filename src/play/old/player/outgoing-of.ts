/** Turns a request step into the request to send. Missing values are filled in from the sending publisher. */

import { type Duration, durationMs } from "../../../base/duration.ts";
import type { Member, Outgoing } from "../../../invariants/client-exchange.ts";
import { inconclusive } from "../../../invariants/ensure.ts";
import { buildRequest, contentTypes, type Encoding, pairsOf } from "../../../spec/build-request.ts";
import type { ApiRequest } from "../../../spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../../spec/operations.ts";
import type { RequestStep } from "../../scenario/types.ts";
import { resolveValue, resolveValues, type Scope } from "./values.ts";

const DEFAULT_TIMEOUT: Duration = "10s";

/** What all requests of a run have in common. */
export interface Sending {
  /** A part of every session id. @default session ids are sent as the scenario has them */
  readonly runId?: string | undefined;
  /** How a POST is sent if its step doesn't say. @default "json" */
  readonly encoding?: Encoding | undefined;
}

/** The step's operation; undefined for a raw request. */
function operationOf(step: RequestStep): OperationId | undefined {
  return operationIds.find((id) => step[id] !== undefined);
}

/** @throws Inconclusive if one of its references can't be resolved. */
export function outgoingOf(
  step: RequestStep,
  sender: Member,
  scope: Scope,
  sending: Sending,
): Outgoing {
  const operation = operationOf(step);
  const headers = headersOf(step, sender, scope);
  const request =
    operation === undefined
      ? rawRequest(step, headers, scope)
      : operationRequest(operation, step, { headers, sender, scope, sending });
  return { operation, request, timeoutMs: durationMs(step.timeout ?? DEFAULT_TIMEOUT) };
}

type Headers = Readonly<Record<string, string>>;

function headersOf(
  { key: given, headers = {} }: RequestStep,
  sender: Member,
  scope: Scope,
): Headers {
  const key = given === undefined ? sender.apiKey : resolveValue(given, scope);
  const own = Object.entries(resolveValues(headers, scope)).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  return { ...authorization, ...Object.fromEntries(own) };
}

interface OperationContext {
  readonly headers: Headers;
  readonly sender: Member;
  readonly scope: Scope;
  readonly sending: Sending;
}

function operationRequest(
  id: OperationId,
  step: RequestStep,
  { headers, sender, scope, sending }: OperationContext,
): ApiRequest {
  const { parameters } = operations[id];
  const given = ofThisRun(resolveValues(step[id] ?? {}, scope), sending);
  const own: Readonly<Record<string, string | undefined>> = {
    publisher_id: sender.id,
    surface: sender.surfaces[0]?.id,
    ad_id: "ad-1",
  };
  const filled = Object.entries(parameters)
    .filter(([name, { required }]) => required && !Object.hasOwn(given, name))
    .map(([name]) => [name, own[name]]);
  const values = { ...Object.fromEntries(filled), ...given };
  return buildRequest(id, values, { headers, encoding: step.encoding ?? sending.encoding });
}

/** Events of one run must not be duplicates of another run's. */
function ofThisRun(
  values: Readonly<Record<string, unknown>>,
  { runId }: Sending,
): Readonly<Record<string, unknown>> {
  const { session_id: session } = values;
  if (runId === undefined || typeof session !== "string" || session === "") return values;
  return { ...values, session_id: `${session}-${runId}` };
}

function rawRequest({ raw }: RequestStep, headers: Headers, scope: Scope): ApiRequest {
  if (raw === undefined) return inconclusive("the step sends no request");
  const { method, path } = raw;
  const query = typeof raw.query === "object" ? resolveValues(raw.query, scope) : raw.query;
  const body = typeof raw.body === "object" ? resolveValues(raw.body, scope) : raw.body;
  return {
    method,
    path,
    headers: typeof body === "object" ? { "content-type": contentTypes.json, ...headers } : headers,
    ...(query !== undefined && {
      query: typeof query === "string" ? query : pairsOf(Object.entries(query)),
    }),
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}
