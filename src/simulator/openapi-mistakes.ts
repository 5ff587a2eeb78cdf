/** Makes an invalid request for each error of the API's document, from a valid one. */

import { LAST_INSTANT_MS } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { DAY_MS } from "../base/duration.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import type { ErrorCode, httpRejections } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import {
  type ParameterEncoding,
  textOf,
  type Values,
  withText,
} from "../spec/openapi/openapi-requests.ts";
import type { Operation } from "../spec/operations.ts";
import type { Publishers } from "../world/accounts/publisher-directory.ts";

/** A simulator that examples are recorded in. */
export interface ExampleSimulator {
  readonly seed: string;
  readonly assumptions: Assumptions;
  readonly publishers: Publishers;
  readonly clock: Clock;
  handle(request: ApiRequest): ApiResponse;
  fork(): ExampleSimulator;
}

/** A right request, and what is needed to make it wrong. It was sent and answered with success. */
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
  /** What is wrong, for people. */
  readonly summary: string;
  /** What has to happen before. @returns false where it can't. @default nothing */
  readonly before?: (trial: ExampleSimulator, values: Values) => boolean;
  /** @default the right request once more */
  readonly made?: (right: ValidRequest) => ApiRequest;
}

/** No request that a simulator is given gets the others: `rate_limited` would take thousands of them. */
type ProvokedCode = Exclude<ErrorCode, keyof typeof httpRejections | "rate_limited">;

const LONG_QUERY = 9000;
const LARGE_BODY = 70_000;
/** Longer than any reading lets a click wait. */
const LATE_MS: number = 31 * DAY_MS;

const unknownName = { ignore: "__proto__", reject: "colour" } satisfies Record<
  Choice<"request.unknown-fields">,
  string
>;

export const mistakes: Readonly<Record<ProvokedCode, Mistake>> = {
  unauthorized: {
    summary: "No Authorization header",
    made({ request: { headers = {}, ...request } }) {
      const { authorization: _left, ...others } = headers;
      return { ...request, headers: others };
    },
  },
  query_too_long: {
    summary: `A query of ${LONG_QUERY} characters`,
    made: ({ request }) => ({ ...request, query: "x".repeat(LONG_QUERY) }),
  },
  body_too_large: {
    summary: `A body of ${LARGE_BODY} bytes`,
    made: ({ request }) => ({ ...request, body: "x".repeat(LARGE_BODY) }),
  },
  missing_parameter: {
    summary: "A required parameter left out",
    made({ operation, values, write }) {
      const { [requiredOf(operation)]: _left, ...others } = values;
      return write(others);
    },
  },
  invalid_parameter: {
    summary: "A value that can't be used",
    made({ operation, values, write }) {
      const [name, wrong] = wrongValue(operation);
      return write({ ...values, [name]: wrong });
    },
  },
  duplicate_parameter: {
    summary: "Every parameter sent twice",
    made: ({ writing, request }) => withText(request, writing.twice(textOf(request))),
  },
  unknown_parameter: {
    summary: "A parameter that the operation doesn't have",
    made: ({ assumptions, values, write }) =>
      write({ ...values, [unknownName[assumptions["request.unknown-fields"]]]: "red" }),
  },
  malformed_body: {
    summary: "A body that breaks off or isn't UTF-8",
    made: ({ writing, request }) => withText(request, writing.broken),
  },
  unsupported_media_type: {
    summary: "A body of another type",
    made: ({ request }) => ({
      ...request,
      headers: { ...request.headers, "content-type": "text/plain" },
      body: "x",
    }),
  },
  publisher_not_found: {
    summary: "The id of no publisher",
    made: ({ values, write }) => write({ ...values, publisher_id: "nobody" }),
  },
  foreign_publisher: {
    summary: "Another publisher's id",
    made: ({ values, write, otherId }) => write({ ...values, publisher_id: otherId }),
  },
  surface_not_found: {
    summary: "The id of no surface",
    made: ({ values, write }) => write({ ...values, surface: "nowhere" }),
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
    made: ({ write }) => write({ impression_id: "never" }),
  },
  duplicate_click: { summary: "The same click again" },
  click_too_late: {
    summary: `${LATE_MS / DAY_MS} days after the impression`,
    before({ clock }) {
      const comes = clock.now() + LATE_MS <= LAST_INSTANT_MS;
      if (comes) clock.advance(LATE_MS);
      return comes;
    },
  },
  route_not_found: {
    summary: "A path that the service doesn't have",
    made: ({ request }) => ({ ...request, path: "/v1/nothing" }),
  },
  method_not_allowed: {
    summary: "DELETE",
    made: ({ request }) => ({ ...request, method: "DELETE" }),
  },
};

function requiredOf({ parameters }: Operation): string {
  return Object.keys(parameters).find((name) => parameters[name]?.required) ?? "";
}

/** A value that every reading refuses, of the last parameter that has a form. */
function wrongValue(operation: Operation): [name: string, wrong: string | number] {
  const formed = Object.entries(operation.parameters).findLast(([, { type }]) => type !== "string");
  if (formed === undefined) return [requiredOf(operation), ""];
  const [name, { type }] = formed;
  return [name, type === "date" ? "2026-02-30" : 0];
}
