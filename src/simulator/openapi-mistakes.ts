/** Turns a valid request into an invalid one for each error in the OpenAPI document. */

import { LAST_INSTANT_MS } from "../base/calendar.ts";
import { DAY_MS } from "../base/duration.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import type { ErrorCode, httpRejections } from "../spec/errors.ts";
import type { ApiRequest } from "../spec/messages.ts";
import {
  type ParameterEncoding,
  textOf,
  type Values,
  withText,
} from "../spec/openapi/openapi-requests.ts";
import type { Operation } from "../spec/operations.ts";
import type { SimulatorCore } from "./simulator.ts";

/** A request that succeeded, and what it takes to make it wrong. */
export interface ValidRequest {
  readonly assumptions: Assumptions;
  readonly operation: Operation;
  readonly writing: ParameterEncoding;
  readonly values: Values;
  readonly request: ApiRequest;
  /** A publisher that the key doesn't belong to. */
  readonly otherId: string;
  /** The request with these parameters. */
  write(sent: Values): ApiRequest;
}

export interface Mistake {
  /** What is wrong, for readers of the document. */
  readonly summary: string;
  /** Prepares the world. @returns false if that is impossible. @default nothing to prepare */
  readonly before?: (trial: SimulatorCore, values: Values) => boolean;
  /** @default the valid request once more */
  readonly makeRequest?: (valid: ValidRequest) => ApiRequest;
}

/** Errors that a single request can provoke. `rate_limited` would take thousands. */
type ProvokedCode = Exclude<ErrorCode, keyof typeof httpRejections | "rate_limited">;

const LONG_QUERY = 9000;
const LARGE_BODY = 70_000;
/** Longer than every choice of `click.window`. */
const LATE_MS: number = 31 * DAY_MS;

const unknownName = { ignore: "__proto__", reject: "colour" } satisfies Record<
  Choice<"request.unknown-fields">,
  string
>;

export const mistakes: Readonly<Record<ProvokedCode, Mistake>> = {
  unauthorized: {
    summary: "No Authorization header",
    makeRequest({ request: { headers = {}, ...request } }) {
      const { authorization: _left, ...others } = headers;
      return { ...request, headers: others };
    },
  },
  query_too_long: {
    summary: `A query of ${LONG_QUERY} characters`,
    makeRequest: ({ request }) => ({ ...request, query: "x".repeat(LONG_QUERY) }),
  },
  body_too_large: {
    summary: `A body of ${LARGE_BODY} bytes`,
    makeRequest: ({ request }) => ({ ...request, body: "x".repeat(LARGE_BODY) }),
  },
  missing_parameter: {
    summary: "A required parameter left out",
    makeRequest({ operation, values, write }) {
      const { [requiredOf(operation)]: _left, ...others } = values;
      return write(others);
    },
  },
  invalid_parameter: {
    summary: "A value that can't be used",
    makeRequest({ operation, values, write }) {
      const [name, wrong] = wrongValue(operation);
      return write({ ...values, [name]: wrong });
    },
  },
  duplicate_parameter: {
    summary: "Every parameter sent twice",
    makeRequest: ({ writing, request }) => withText(request, writing.twice(textOf(request))),
  },
  unknown_parameter: {
    summary: "A parameter that the operation doesn't have",
    makeRequest: ({ assumptions, values, write }) =>
      write({ ...values, [unknownName[assumptions["request.unknown-fields"]]]: "red" }),
  },
  malformed_body: {
    summary: "A body that breaks off or isn't UTF-8",
    makeRequest: ({ writing, request }) => withText(request, writing.broken),
  },
  unsupported_media_type: {
    summary: "A body of another type",
    makeRequest: ({ request }) => ({
      ...request,
      headers: { ...request.headers, "content-type": "text/plain" },
      body: "x",
    }),
  },
  publisher_not_found: {
    summary: "The id of no publisher",
    makeRequest: ({ values, write }) => write({ ...values, publisher_id: "nobody" }),
  },
  foreign_publisher: {
    summary: "Another publisher's id",
    makeRequest: ({ values, write, otherId }) => write({ ...values, publisher_id: otherId }),
  },
  surface_not_found: {
    summary: "The id of no surface",
    makeRequest: ({ values, write }) => write({ ...values, surface: "nowhere" }),
  },
  surface_inactive: {
    summary: "After the surface was paused",
    before({ publishers }, { publisher_id, surface }) {
      publishers.setSurface(String(publisher_id), String(surface), { status: "paused" });
      return true;
    },
  },
  duplicate_impression: { summary: "The same impression again" },
  impression_not_found: {
    summary: "The id of no impression",
    makeRequest: ({ write }) => write({ impression_id: "never" }),
  },
  duplicate_click: { summary: "The same click again" },
  click_too_late: {
    summary: `${LATE_MS / DAY_MS} days after the impression`,
    before({ clock }) {
      const isPossible = clock.now() + LATE_MS <= LAST_INSTANT_MS;
      if (isPossible) clock.advance(LATE_MS);
      return isPossible;
    },
  },
  route_not_found: {
    summary: "A path that the service doesn't have",
    makeRequest: ({ request }) => ({ ...request, path: "/v1/nothing" }),
  },
  method_not_allowed: {
    summary: "DELETE",
    makeRequest: ({ request }) => ({ ...request, method: "DELETE" }),
  },
};

function requiredOf({ parameters }: Operation): string {
  return Object.keys(parameters).find((name) => parameters[name]?.required) ?? "";
}

/** A value that is invalid under all assumptions, for the last parameter that isn't free text. */
function wrongValue(operation: Operation): [name: string, wrong: string | number] {
  const formed = Object.entries(operation.parameters).findLast(([, { type }]) => type !== "string");
  if (formed === undefined) return [requiredOf(operation), ""];
  const [name, { type }] = formed;
  return [name, type === "date" ? "2026-02-30" : 0];
}
