/** The kinds of flaws that a request can have, and how a valid request gets them. */

import type { Day } from "../../base/calendar.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { buildRequest, type Encoding } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { type OperationId, operations, type Parameter } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";

/** What requests are made from. */
export interface Source {
  readonly assumptions: Assumptions;
  readonly senders: readonly Credentials[];
  /** On the known impressions. */
  readonly clicks: readonly Pick<Draft, "sender" | "values">[];
  readonly today: Day;
}

/** A valid request in the making. */
export interface Draft {
  readonly operation: OperationId;
  readonly sender: Credentials;
  readonly values: Readonly<Record<string, string | number>>;
  readonly encoding: Encoding;
}

/** Why a request is invalid. */
export interface Flaw {
  readonly kind: FlawKind;
  /** The invalid parameter, if the flaw is about one. */
  readonly parameter?: string | undefined;
}

interface Flawed {
  readonly request: ApiRequest;
  readonly parameter?: string;
}

export type FlawKind =
  | "missing-parameter"
  | "wrong-value"
  | "wrong-key"
  | "foreign-publisher"
  | "wrong-route"
  | "wrong-body";

/** The ways in which a draft can have each flaw under the source's assumptions. Which there are, its values don't matter. */
export const flaws: Readonly<Record<FlawKind, (draft: Draft, source: Source) => Flawed[]>> = {
  "missing-parameter": (draft) =>
    parametersOf(draft).flatMap(([parameter, { required }]) => {
      const { [parameter]: _, ...values } = draft.values;
      return required ? [{ parameter, request: validRequest({ ...draft, values }) }] : [];
    }),
  // Of a parameter, or the id of something that doesn't exist.
  "wrong-value": (draft) =>
    parametersOf(draft).flatMap(([parameter, about]) =>
      wrongValues(draft.operation, parameter, about).map((value) => {
        const values = { ...draft.values, [parameter]: value };
        return { parameter, request: validRequest({ ...draft, values }) };
      }),
    ),
  // None, one that doesn't exist, or another kind of authorization.
  "wrong-key": (draft) => {
    const { operation, values, encoding } = draft;
    const others = ["Bearer nobody", "Bearer", "Basic dXNlcjpwYXNz"];
    const none = { request: buildRequest(operation, values, { encoding }) };
    return [none, ...others.map((authorization) => withHeaders(draft, { authorization }))];
  },
  "foreign-publisher": (draft, { senders, assumptions }) => {
    const other = senders.find(({ id }) => id !== draft.sender.id);
    if (other === undefined || assumptions["auth.key-scope"] === "any") return [];
    return [withHeaders(draft, { authorization: `Bearer ${other.apiKey}` })];
  },
  "wrong-route": (draft) => {
    const { method, path } = operations[draft.operation];
    const others: Partial<ApiRequest>[] = [
      ...["PUT", "DELETE", method === "GET" ? "POST" : "PATCH"].map((other) => ({ method: other })),
      ...[`${path}s`, path.replace("/v1/", "/v2/"), "/v1/nothing"].map((other) => ({
        path: other,
      })),
    ];
    return others.map((other) => ({ request: { ...validRequest(draft), ...other } }));
  },
  // Its content, its type, or an encoding that the service doesn't read.
  "wrong-body": (draft, source) => {
    if (operations[draft.operation].method === "GET") return [];
    const read = encodingsOf(draft.operation, source);
    const as = (encoding: Encoding): Draft => ({ ...draft, encoding });
    const unread = (["json", "form", "query"] as const).filter((one) => !read.includes(one));
    const bodies = read.includes("json") ? ['{"publisher_id":', "[]", "null", ""] : [];
    const texts = read.filter((one) => one !== "query").slice(0, 1);
    return [
      ...bodies.map((body) => ({ request: { ...validRequest(as("json")), body } })),
      ...texts.map((one) => withHeaders(as(one), { "content-type": "text/plain" })),
      ...unread.map((one) => ({ request: validRequest(as(one)) })),
    ];
  },
};

// The names of a record are its keys.
export const flawKinds = Object.keys(flaws) as readonly FlawKind[];

/** Whether a request of the operation can have such a flaw. */
export function canHave(operation: OperationId, kind: FlawKind, source: Source): boolean {
  const [sender] = source.senders;
  const draft = sender && { operation, sender, values: {}, encoding: "query" as const };
  return draft !== undefined && flaws[kind](draft, source).length > 0;
}

export function validRequest({ operation, sender, values, encoding }: Draft): ApiRequest {
  return buildRequest(operation, values, { key: sender.apiKey, encoding });
}

/** The encodings that the operation reads, the plainest first. */
export function encodingsOf(operation: OperationId, { assumptions }: Source): readonly Encoding[] {
  if (operations[operation].method === "GET") return ["query"];
  const encoding = assumptions["request.encoding"];
  return encoding === "any" ? ["json", "form", "query"] : [encoding];
}

function withHeaders(draft: Draft, headers: Readonly<Record<string, string>>): Flawed {
  const request = validRequest(draft);
  return { request: { ...request, headers: { ...request.headers, ...headers } } };
}

function parametersOf({ operation }: Draft): [name: string, about: Parameter][] {
  return Object.entries<Parameter>(operations[operation].parameters);
}

function wrongValues(
  operation: OperationId,
  name: string,
  { type, required }: Parameter,
): readonly (string | number)[] {
  if (type === "date") return ["yesterday", "2026-02-30", "01/02/2026"];
  if (type === "integer") return [0, -1, "1.5", "many"];
  // The names of ads and sessions are the client's own. Stats of an unknown surface may be empty.
  const isId = name === "publisher_id" || name === "impression_id";
  const isUnknown = isId || (name === "surface" && operation === "impression");
  return ["a\u0000b", ...(required ? [""] : []), ...(isUnknown ? ["nobody"] : [])];
}
