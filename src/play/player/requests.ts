/** Turns a request step into the request to send. Missing values are filled in from the sending publisher. */

import { assert } from "../../base/assert.ts";
import { durationMs } from "../../base/duration.ts";
import type { Member, Outgoing } from "../../invariants/client-exchange.ts";
import { buildRequest, pairsOf } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operationIds, operations } from "../../spec/operations.ts";
import type { RawRequest, RequestStep } from "../scenario/types.ts";
import { publisherOf, type Run, type Sending } from "./run.ts";
import { resolveValue, resolveValues, type Scope } from "./values.ts";

const DEFAULT_TIMEOUT = "10s";

/** @throws Inconclusive if one of its references can't be resolved. */
export function outgoingOf(
  run: Run,
  step: RequestStep,
  sender: Member = publisherOf(run, step.publisher),
): Outgoing {
  const { raw, timeout = DEFAULT_TIMEOUT } = step;
  const headers = headersOf(step, sender, run);
  const timeoutMs = durationMs(timeout);
  if (raw !== undefined)
    return { operation: undefined, request: rawRequest(raw, headers, run), timeoutMs };
  const operation = operationIds.find((id) => step[id] !== undefined);
  assert(operation !== undefined, "A request step has neither an operation nor raw.");
  const given = ofThisRun(resolveValues(step[operation] ?? {}, run), run.sending);
  const encoding = step.encoding ?? run.sending.encoding;
  const parameters = filledIn(operation, given, sender);
  return {
    operation,
    request: buildRequest(operation, parameters, { headers, encoding }),
    timeoutMs,
  };
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
  const { method, path, query, body } = raw;
  return {
    ...{ method, path, headers },
    query: typeof query === "object" ? pairsOf(Object.entries(resolveValues(query, scope))) : query,
    body: typeof body === "object" ? resolveValues(body, scope) : body,
  };
}
