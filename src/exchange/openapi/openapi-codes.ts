/** Which errors each operation of the API's document can answer with under the assumptions in force. */

import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import type { ErrorCode } from "../../spec/errors.ts";
import type { Operation, OperationId } from "../../spec/operations.ts";
import { unlimitedOperations } from "../quota.ts";

/** Errors that any operation can answer with; the last three come from the transport. */
const ofEvery: readonly ErrorCode[] = [
  "unauthorized",
  "query_too_long",
  "body_too_large",
  "missing_parameter",
  "invalid_parameter",
  "duplicate_parameter",
  "malformed_request",
  "request_timeout",
  "headers_too_large",
];
const ofEveryLimited: readonly ErrorCode[] = ["rate_limited"];
const ofEveryPublisherId: readonly ErrorCode[] = ["publisher_not_found"];
/** Of operations with a body, by how it is read. */
const ofEveryBody = {
  any: ["malformed_body", "unsupported_media_type"],
  json: ["malformed_body", "unsupported_media_type"],
  form: ["malformed_body", "unsupported_media_type"],
  query: ["unsupported_media_type"],
} satisfies Record<Choice<"request.encoding">, readonly ErrorCode[]>;

/** The errors that an operation can answer with under the assumptions. */
export function codesOf(operation: Operation, assumptions: Assumptions): readonly ErrorCode[] {
  const own: Readonly<Record<OperationId, readonly ErrorCode[]>> = {
    stats: unknownSurfaceCodes[assumptions["surface.unknown"]],
    impression: [
      "surface_not_found",
      ...inactiveCodes[assumptions["surface.inactive"]],
      ...repeatedImpressionCodes[assumptions["dedup.repeat"]],
    ],
    click: [
      ...unknownImpressionCodes[assumptions["click.unknown"]],
      ...lateClickCodes[assumptions["click.window"]],
      ...repeatedClickCodes[assumptions["click.repeat"]],
    ],
    surfaces: [],
    payouts: [],
  };
  return [
    ...ofEvery,
    ...unknownParameterCodes[assumptions["request.unknown-fields"]],
    ...(unlimitedOperations(assumptions).has(operation.id) ? [] : ofEveryLimited),
    ...(operation.method === "POST" ? ofEveryBody[assumptions["request.encoding"]] : []),
    ...("publisher_id" in operation.parameters
      ? [...ofEveryPublisherId, ...foreignCodes(assumptions)]
      : []),
    ...own[operation.id],
  ];
}

/** The errors of requests that name no operation. */
export function unroutedCodes(assumptions: Assumptions): readonly ErrorCode[] {
  const ofReadings = {
    "405": ["route_not_found", "method_not_allowed"],
    "404": ["route_not_found"],
  } satisfies Record<Choice<"errors.method">, readonly ErrorCode[]>;
  return ofReadings[assumptions["errors.method"]];
}

function foreignCodes(assumptions: Assumptions): readonly ErrorCode[] {
  const ofBoundKeys = {
    "403": ["foreign_publisher"],
    "404": [],
  } satisfies Record<Choice<"auth.foreign-publisher">, readonly ErrorCode[]>;
  const ofScope = {
    publisher: ofBoundKeys[assumptions["auth.foreign-publisher"]],
    any: [],
  } satisfies Record<Choice<"auth.key-scope">, readonly ErrorCode[]>;
  return ofScope[assumptions["auth.key-scope"]];
}

const unknownParameterCodes = { ignore: [], reject: ["unknown_parameter"] } satisfies Record<
  Choice<"request.unknown-fields">,
  readonly ErrorCode[]
>;

const unknownSurfaceCodes = {
  "404": ["surface_not_found"],
  "400": ["surface_not_found"],
  empty: [],
} satisfies Record<Choice<"surface.unknown">, readonly ErrorCode[]>;

const inactiveCodes = { reject: ["surface_inactive"], uncredited: [] } satisfies Record<
  Choice<"surface.inactive">,
  readonly ErrorCode[]
>;

const unknownImpressionCodes = {
  "404": ["impression_not_found"],
  "400": ["impression_not_found"],
  "accept-uncredited": [],
} satisfies Record<Choice<"click.unknown">, readonly ErrorCode[]>;

const lateClickCodes = {
  none: [],
  "24h": ["click_too_late"],
  "7d": ["click_too_late"],
  "30d": ["click_too_late"],
} satisfies Record<Choice<"click.window">, readonly ErrorCode[]>;

const repeatedImpressionCodes = {
  "original-uncredited": [],
  replay: [],
  conflict: ["duplicate_impression"],
  count: [],
} satisfies Record<Choice<"dedup.repeat">, readonly ErrorCode[]>;

const repeatedClickCodes = {
  "original-uncredited": [],
  replay: [],
  conflict: ["duplicate_click"],
  count: [],
} satisfies Record<Choice<"click.repeat">, readonly ErrorCode[]>;
