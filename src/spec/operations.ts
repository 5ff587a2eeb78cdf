/**
 * The five operations of the spec as data (spec §4), and their request limits (spec §8). Routes, validation, OpenAPI and
 * documentation derive from this table.
 */

import type { Day } from "../base/calendar.ts";
import type { Assumptions } from "./assumptions/catalogue.ts";

/** At most `requests` in any `windowMs` milliseconds. */
export const documentedLimits = {
  /** The impression and click endpoints, for each publisher. */
  recording: { requests: 10_000, windowMs: 60_000 },
  /** All others, for each API key. */
  reporting: { requests: 60, windowMs: 60_000 },
} as const;

export type LimitClass = keyof typeof documentedLimits;

export type OperationId = "stats" | "impression" | "click" | "surfaces" | "payouts";

/** The operations that record an event. */
export type EventKind = "impression" | "click";
export const eventKinds: readonly EventKind[] = ["impression", "click"];

export function isEventKind(operation: OperationId | undefined): operation is EventKind {
  return operation === "impression" || operation === "click";
}

export type Parameter = { readonly required: boolean; readonly about: string } & (
  | { readonly type: "string" | "date" }
  | ({ readonly type: "integer" } & Record<"minimum" | "maximum" | "default", number>)
);

/** One operation. `limit` names the request limit that it counts against (spec §8). */
export interface Operation {
  readonly id: OperationId;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly limit: LimitClass;
  readonly about: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

const required = (about: string) => ({ type: "string", required: true, about }) as const;
const optional = <const Type extends "string" | "date">(type: Type, about: string) =>
  ({ type, required: false, about }) as const;

export const operations = {
  stats: {
    id: "stats",
    method: "GET",
    path: "/v1/publisher/stats",
    limit: "reporting",
    about: "Aggregated impressions, clicks and revenue of one publisher",
    parameters: {
      publisher_id: required("Publisher ID"),
      from: optional("date", "Start of period; default is 30 days before today"),
      to: optional("date", "End of period, inclusive; default is today"),
      surface: optional("string", "Restricts results to one surface identifier"),
    },
  },
  impression: {
    id: "impression",
    method: "POST",
    path: "/v1/impression",
    limit: "recording",
    about: "Records a single ad impression",
    parameters: {
      publisher_id: required("Publisher ID"),
      surface: required("Surface identifier"),
      ad_id: required("Identifier of the ad shown"),
      session_id: optional("string", "Opaque session identifier, used for de-duplication"),
    },
  },
  click: {
    id: "click",
    method: "POST",
    path: "/v1/click",
    limit: "recording",
    about: "Records a click on an ad",
    parameters: {
      impression_id: required("The impression_id returned by the impression endpoint"),
    },
  },
  surfaces: {
    id: "surfaces",
    method: "GET",
    path: "/v1/publisher/surfaces",
    limit: "reporting",
    about: "All surfaces registered to a publisher with their current status",
    parameters: { publisher_id: required("Publisher ID") },
  },
  payouts: {
    id: "payouts",
    method: "GET",
    path: "/v1/publisher/payouts",
    limit: "reporting",
    about: "Payout history of a publisher, and the amount pending",
    parameters: {
      publisher_id: required("Publisher ID"),
      limit: {
        type: "integer",
        required: false,
        about: "Maximum number of results",
        minimum: 1,
        maximum: 100,
        default: 20,
      },
    },
  },
} as const satisfies { readonly [Id in OperationId]: Operation & { readonly id: Id } };

/** In the order of the spec. */
export const operationIds = Object.values(operations).map(({ id }): OperationId => id);

/** Whether a request limit applies to an operation under the assumptions. */
export function isLimited(id: OperationId, assumptions: Assumptions): boolean {
  const isOther = id === "surfaces" || id === "payouts";
  return !isOther || assumptions["limit.reporting-endpoints"] === "all-get";
}

/** The methods that an operation's path answers. */
export function methodsOf({ method }: Operation): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

type Parameters<Id extends OperationId> = (typeof operations)[Id]["parameters"];
type ValueOf<Sent> = Sent extends { readonly type: "integer" }
  ? number
  : (Sent extends { readonly type: "date" } ? Day : string) | MissingIn<Sent>;
type MissingIn<Sent> = Sent extends { readonly required: true } ? never : undefined;

/** The validated parameters of an operation. Missing integers have their default; other optional parameters may be undefined. */
export type Input<Id extends OperationId> = Id extends OperationId
  ? { readonly [Name in keyof Parameters<Id>]: ValueOf<Parameters<Id>[Name]> }
  : never;

/** Whom a request is about: a publisher and perhaps one of its surfaces, or the publisher of an impression. */
export type Subject =
  | { readonly kind: "publisher"; readonly id: string; readonly surface?: string | undefined }
  | { readonly kind: "impression"; readonly id: string };

export function subjectOf(input: Input<OperationId>): Subject {
  if ("impression_id" in input) return { kind: "impression", id: input.impression_id };
  const surface = "surface" in input ? input.surface : undefined;
  return { kind: "publisher", id: input.publisher_id, surface };
}
