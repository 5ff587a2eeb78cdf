/**
 * Records the examples of the OpenAPI document: for each operation a valid request with its answer, and an answer for each
 * error. The answers come from a fresh simulator; none is written by hand.
 */

import { day, formatDay } from "../base/calendar.ts";
import { dayReader } from "../exchange/operations/operation-world.ts";
import { documented } from "../exchange/operations/outcome.ts";
import { createQuota } from "../exchange/quota.ts";
import { createResponder } from "../exchange/respond.ts";
import { buildRequest } from "../spec/build-request.ts";
import {
  codesOf,
  type ErrorCode,
  errorKinds,
  httpRejections,
  unroutedCodes,
} from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import type { ErrorExample, ErrorExamples, Examples } from "../spec/openapi/openapi-examples.ts";
import { parameterEncodingOf, type Values } from "../spec/openapi/openapi-requests.ts";
import {
  documentedLimits,
  type Operation,
  type OperationId,
  operations,
} from "../spec/operations.ts";
import type { Credentials } from "../world/accounts/account.ts";
import { type Mistake, mistakes, type ValidRequest } from "./openapi-mistakes.ts";
import type { SimulatorCore } from "./simulator.ts";

/** Uses the first publisher, with its current key and surfaces. */
export function recordExamples(of: SimulatorCore): Examples {
  const [publisher] = of.publishers.credentials(1);
  if (publisher === undefined) throw new Error("Every world has a publisher.");
  const trial = of.fresh();
  const surface = copySurfaces(publisher, trial);
  const recorder = createRecorder(trial);
  const { values, successes, validRequests } = recordSuccesses(recorder, publisher.id, surface);
  const { assumptions } = trial;
  const refusals = mapOperations((operation) =>
    recorder.errors(codesOf(operation, assumptions), validRequests[operation.id]),
  );
  const unrouted = recorder.errors(unroutedCodes, validRequests.stats);
  return { publisher, values, successes, refusals, unrouted, headers: recorder.headers };
}

/** @returns the id of the surface for the examples, which is active. */
function copySurfaces({ id, surfaces }: Credentials, trial: SimulatorCore): string {
  const own = trial.publishers.credentials(1)[0]?.surfaces ?? [];
  for (const [index, { id: surface, status, cpmRange }] of surfaces.entries()) {
    const isSame = JSON.stringify(own[index]) === JSON.stringify(surfaces[index]);
    if (!isSame) trial.publishers.setSurface(id, surface, { status, cpmRange });
  }
  const [first] = surfaces;
  const active = surfaces.find(({ status }) => status === "active");
  if (first === undefined) throw new Error("Every publisher has a surface.");
  if (active === undefined) trial.publishers.setSurface(id, first.id, { status: "active" });
  return (active ?? first).id;
}

interface Recorder {
  readonly trial: SimulatorCore;
  readonly headers: Readonly<Record<string, string>>;
  ask(request: ApiRequest): ApiResponse;
  validRequest(operation: Operation, values: Values): ValidRequest;
  errors(codes: readonly ErrorCode[], validRequest: ValidRequest): ErrorExamples;
}

function createRecorder(trial: SimulatorCore): Recorder {
  const { assumptions } = trial;
  const [own, other] = trial.publishers.credentials(2);
  const apiKey = own?.apiKey ?? "";
  const otherId = (other ?? trial.publishers.signUp()).id;
  const headers: Record<string, string> = {};
  const writeRefusal = createRefusalWriter(trial);

  function note(response: ApiResponse): ApiResponse {
    for (const [name, value] of Object.entries(response.headers)) headers[name] ??= value;
    return response;
  }
  function exampleOf(code: ErrorCode, validRequest: ValidRequest): ErrorExample | undefined {
    const mistake: Mistake | undefined = mistakes[code as keyof typeof mistakes];
    if (mistake === undefined) {
      return {
        summary: errorKinds[code].title,
        value: bodyOf(note(writeRefusal(code, validRequest))),
      };
    }
    const { summary, before, makeRequest } = mistake;
    const own = before === undefined ? trial : trial.fork();
    if (before !== undefined && !before(own, validRequest.values)) return undefined;
    return {
      summary,
      value: bodyOf(note(own.handle(makeRequest?.(validRequest) ?? validRequest.request))),
    };
  }
  return {
    trial,
    headers,
    ask: (request) => note(trial.handle(request)),
    validRequest(operation, values) {
      const writing = parameterEncodingOf(operation, assumptions);
      const { encoding } = writing;
      const write: ValidRequest["write"] = (sent) =>
        buildRequest(operation.id, sent, { key: apiKey, encoding });
      return { assumptions, operation, writing, values, request: write(values), otherId, write };
    },
    errors(codes, validRequest) {
      const examples = codes.flatMap((code) => {
        const example = exampleOf(code, validRequest);
        return example === undefined ? [] : [[code, example] as const];
      });
      return Object.fromEntries(examples);
    },
  };
}

/** Writes the refusals that no single request provokes: those of the rate limit and of broken HTTP. */
function createRefusalWriter({
  seed,
  assumptions,
  clock,
}: SimulatorCore): (code: ErrorCode, validRequest: ValidRequest) => ApiResponse {
  const responder = createResponder({ seed, assumptions, explain: false });
  const quota = createQuota(assumptions);
  const nowMs = clock.now();
  return (code, { operation: { id, limit } }) => {
    const quotaStatus = quota.quotaStatus(id, undefined, nowMs);
    const broken = httpRejections[code as keyof typeof httpRejections];
    if (broken !== undefined) return responder.refusal(broken, quotaStatus, documented, {});
    const { rejection } = quota.exceeded(id);
    const retryAfterMs = documentedLimits[limit].windowMs;
    return responder.refusal(rejection, quotaStatus, documented, { retryAfterMs, nowMs });
  };
}

function recordSuccesses(
  { trial, ask, validRequest }: Recorder,
  publisherId: string,
  surface: string,
): Pick<Examples, "values" | "successes"> & {
  readonly validRequests: Readonly<Record<OperationId, ValidRequest>>;
} {
  const today = dayReader(trial.assumptions)(trial.clock.now());
  const own = { publisher_id: publisherId };
  const values: Record<OperationId, Values> = {
    stats: { ...own, from: formatDay(day(today - 7)), to: formatDay(day(today - 1)), surface },
    impression: { ...own, surface, ad_id: "ad-1", session_id: "session-1" },
    click: {},
    surfaces: own,
    payouts: { ...own, limit: 3 },
  };
  const successes = mapOperations((operation) => {
    const { id } = operation;
    const body = bodyOf(ask(validRequest(operation, values[id]).request));
    // A click needs the answer to its impression (spec §4). The operations are in that order.
    if (id === "impression") values.click = clickOn(body);
    return body;
  });
  const validRequests = mapOperations((operation) => validRequest(operation, values[operation.id]));
  return { values, successes, validRequests };
}

function clickOn(impression: unknown): Values {
  return { impression_id: (impression as { readonly impression_id: string }).impression_id };
}

function bodyOf({ headers, body }: ApiResponse): unknown {
  return headers["content-type"]?.includes("json") ? JSON.parse(body) : body;
}

function mapOperations<Made>(make: (operation: Operation) => Made): Record<OperationId, Made> {
  const made = Object.values<Operation>(operations).map((operation) => [
    operation.id,
    make(operation),
  ]);
  // One entry per operation.
  return Object.fromEntries(made) as Record<OperationId, Made>;
}
