/** Turns a request step into the request to send. Missing values are filled in from the sending publisher. */

import { durationMs } from "../../base/duration.ts";
import type { Member, Outgoing } from "../../invariants/client-exchange.ts";
import { buildRequest, contentTypes, type Encoding, pairsOf } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../spec/operations.ts";
import type { RawRequest, RequestStep } from "../scenario/types.ts";
import { resolveValue, resolveValues, type Scope } from "./values.ts";

const DEFAULT_TIMEOUT = "10s";

/** What all requests of a run have in common. */
export interface Sending {
  /** A part of every session id. @default session ids are sent as the scenario has them */
  readonly runId?: string | undefined;
  /** How a POST is sent if its step doesn't say. @default "json" */
  readonly encoding?: Encoding | undefined;
}

/** @throws Inconclusive if one of its references can't be resolved. */
export function outgoingOf(
  step: RequestStep,
  sender: Member,
  scope: Scope,
  sending: Sending,
): Outgoing {
  const { raw, timeout = DEFAULT_TIMEOUT } = step;
  const operation = operationIds.find((id) => step[id] !== undefined);
  const headers = headersOf(step, sender, scope);
  const timeoutMs = durationMs(timeout);
  if (operation === undefined && raw !== undefined)
    return { operation, request: rawRequest(raw, headers, scope), timeoutMs };
  const id = operation ?? "stats";
  const given = ofThisRun(resolveValues(step[id] ?? {}, scope), sending);
  const encoding = step.encoding ?? sending.encoding;
  const request = buildRequest(id, filledIn(id, given, sender), { headers, encoding });
  return { operation, request, timeoutMs };
}

type Headers = Readonly<Record<string, string>>;
type Parameters = Readonly<Record<string, unknown>>;

function headersOf({ key, headers = {} }: RequestStep, sender: Member, scope: Scope): Headers {
  const sent = key === undefined ? sender.apiKey : resolveValue(key, scope);
  const own = Object.entries(resolveValues(headers, scope)).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  const authorization = sent === null ? {} : { authorization: `Bearer ${sent}` };
  return { ...authorization, ...Object.fromEntries(own) };
}

/** The parameters, with the required ones that the step leaves out. */
function filledIn(id: OperationId, given: Parameters, sender: Member): Parameters {
  const own: Parameters = {
    publisher_id: sender.id,
    surface: sender.surfaces[0]?.id,
    ad_id: "ad-1",
  };
  const filled = Object.entries(operations[id].parameters)
    .filter(([name, { required }]) => required && !Object.hasOwn(given, name))
    .map(([name]) => [name, own[name]]);
  return { ...Object.fromEntries(filled), ...given };
}

/** Events of one run must not be duplicates of another run's. */
function ofThisRun(values: Parameters, { runId }: Sending): Parameters {
  const { session_id: session } = values;
  if (runId === undefined || typeof session !== "string" || session === "") return values;
  return { ...values, session_id: `${session}-${runId}` };
}

function rawRequest(raw: RawRequest, headers: Headers, scope: Scope): ApiRequest {
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
