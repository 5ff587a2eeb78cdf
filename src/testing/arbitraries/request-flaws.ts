/** The kinds of flaws that a request can have, and how a valid request gets them. */

import { day, formatDay } from "../../base/calendar.ts";
import { buildRequest, type Encoding } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operations, type Parameter } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import type { GenerationContext } from "./request-source.ts";

/**
 * - `wrong-value`: of a parameter, or the id of something that doesn't exist.
 * - `wrong-key`: no key, one that doesn't exist, or another kind of authorization.
 * - `foreign-publisher`: the key is another publisher's.
 * - `wrong-route`: the method or the path.
 * - `wrong-body`: its content, its type, or an encoding that the service doesn't read.
 */
export const flawKinds = [
  "missing-parameter",
  "wrong-value",
  "wrong-key",
  "foreign-publisher",
  "wrong-route",
  "wrong-body",
] as const;

Object.freeze(flawKinds);

export type FlawKind = (typeof flawKinds)[number];

/** Why a request is invalid. */
export interface Flaw {
  readonly kind: FlawKind;
  /** The invalid parameter, if the flaw is about one. */
  readonly parameter?: string | undefined;
}

/** A valid request in the making. */
export interface Draft {
  readonly operation: OperationId;
  readonly sender: Credentials;
  readonly values: Readonly<Record<string, string | number>>;
  readonly encoding: Encoding;
}

/** A flaw, and the draft's request with it. */
export interface Mutation extends Flaw {
  requestOf(draft: Draft): ApiRequest;
}

export function validRequest({ operation, sender, values, encoding }: Draft): ApiRequest {
  return buildRequest(operation, values, { key: sender.apiKey, encoding });
}

/** The encodings that the operation reads, the plainest first. */
export function encodingsOf(
  operation: OperationId,
  { assumptions }: GenerationContext,
): readonly Encoding[] {
  if (operations[operation].method === "GET") return ["query"];
  const encoding = assumptions["request.encoding"];
  return encoding === "any" ? ["json", "form", "query"] : [encoding];
}

/** All flaws that a request of the operation can have under the assumptions. */
export function flawsOf(
  operation: OperationId,
  sender: Credentials,
  context: GenerationContext,
): Mutation[] {
  return [
    ...flawsOfParameters(operation, context),
    ...flawsOfKey(sender, context),
    ...flawsOfRoute(operation),
    ...flawsOfBody(operation, context),
  ];
}

function flawsOfParameters(operation: OperationId, context: GenerationContext): Mutation[] {
  const parameters: Readonly<Record<string, Parameter>> = operations[operation].parameters;
  return Object.entries(parameters).flatMap(([name, parameter]): Mutation[] => {
    const wrong = wrongValues(name, parameter, operation, context).map(
      (given): Mutation => ({
        kind: "wrong-value",
        parameter: name,
        requestOf: (draft) => validRequest({ ...draft, values: { ...draft.values, ...given } }),
      }),
    );
    const missing: Mutation = {
      kind: "missing-parameter",
      parameter: name,
      requestOf: ({ values: { [name]: _, ...values }, ...draft }) =>
        validRequest({ ...draft, values }),
    };
    return parameter.required ? [missing, ...wrong] : wrong;
  });
}

/** What to send instead. An inverted period has two values. */
function wrongValues(
  name: string,
  { type, required }: Parameter,
  operation: OperationId,
  { assumptions, today }: GenerationContext,
): Draft["values"][] {
  const of = (...values: readonly (string | number)[]): Draft["values"][] =>
    values.map((value) => ({ [name]: value }));
  if (type === "date") {
    const inverted = { from: formatDay(today), to: formatDay(day(today - 1)) };
    return [
      ...of("yesterday", "2026-02-30", "01/02/2026"),
      ...(assumptions["date.inverted-range"] === "reject" ? [inverted] : []),
    ];
  }
  if (type === "integer") return of(0, -1, "1.5", "many");
  // The names of ads and sessions are the client's own. Stats of an unknown surface may be empty.
  const isId = name === "publisher_id" || name === "impression_id";
  const isUnknown = isId || (name === "surface" && operation === "impression");
  return [...of("a\u0000b"), ...(required ? of("") : []), ...(isUnknown ? of("nobody") : [])];
}

function flawsOfKey(sender: Credentials, { assumptions, senders }: GenerationContext): Mutation[] {
  const withHeader = (authorization: string) => (draft: Draft) => {
    const request = validRequest(draft);
    return { ...request, headers: { ...request.headers, authorization } };
  };
  const other = senders.find(({ id }) => id !== sender.id);
  const isBound = assumptions["auth.key-scope"] !== "any";
  return [
    {
      kind: "wrong-key",
      requestOf: ({ operation: id, values, encoding }) => buildRequest(id, values, { encoding }),
    },
    ...["Bearer nobody", "Bearer", "Basic dXNlcjpwYXNz"].map(
      (text): Mutation => ({ kind: "wrong-key", requestOf: withHeader(text) }),
    ),
    ...(other === undefined || !isBound
      ? []
      : [
          {
            kind: "foreign-publisher" as const,
            requestOf: withHeader(`Bearer ${other.apiKey}`),
          },
        ]),
  ];
}

function flawsOfRoute(operation: OperationId): Mutation[] {
  const { method, path } = operations[operation];
  const methods = ["PUT", "DELETE", method === "GET" ? "POST" : "PATCH"];
  const paths = [`${path}s`, path.replace("/v1/", "/v2/"), "/v1/nothing"];
  return [
    ...methods.map((other) => ({ method: other })),
    ...paths.map((other) => ({ path: other })),
  ].map(
    (target): Mutation => ({
      kind: "wrong-route",
      requestOf: (draft) => ({ ...validRequest(draft), ...target }),
    }),
  );
}

function flawsOfBody(operation: OperationId, context: GenerationContext): Mutation[] {
  if (operations[operation].method === "GET") return [];
  const read = encodingsOf(operation, context);
  const isRead = (one: Encoding): boolean => read.includes(one);
  const is = (requestOf: Mutation["requestOf"]): Mutation => ({ kind: "wrong-body", requestOf });
  const as = (encoding: Encoding, changes: Partial<ApiRequest> = {}): Mutation =>
    is((draft) => ({ ...validRequest({ ...draft, encoding }), ...changes }));
  const labelledAsText = is((draft) => {
    const request = validRequest({ ...draft, encoding: isRead("json") ? "json" : "form" });
    return { ...request, headers: { ...request.headers, "content-type": "text/plain" } };
  });
  return [
    ...(isRead("json")
      ? ['{"publisher_id":', "[]", "null", ""].map((body) => as("json", { body }))
      : []),
    ...(isRead("json") || isRead("form") ? [labelledAsText] : []),
    ...(["json", "form", "query"] as const).filter((one) => !isRead(one)).map((one) => as(one)),
  ];
}
