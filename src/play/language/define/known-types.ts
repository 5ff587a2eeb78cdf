/** What types know at a place of a scenario: the names of earlier steps, what each gives, and the paths into that. */

import type { OperationId } from "../../../spec/operations.ts";
import type { TallySummary } from "../../measure/tally.ts";

/** What a step gives to later ones. `unknown`: of a step whose type doesn't tell. */
type Given = OperationId | "raw" | "tally" | "publisher" | "keys" | "nothing" | "unknown";

/** A named step: its name and what it gives. A union of them is all that is known at a place. */
export type Known = readonly [name: string, given: Given];

/** Paths into what a step gives, by what it is; those to objects and lists too, which expectations may look at. */
interface Paths {
  readonly impression: "ok" | "impression_id" | "revenue_credited_inr" | ErrorPath;
  readonly click: "ok" | "click_id" | "revenue_credited_inr" | ErrorPath;
  readonly stats:
    | "publisher_id"
    | "period"
    | `period.${"from" | "to"}`
    | "impressions"
    | "clicks"
    | "revenue_inr"
    | List<"surfaces", "id" | "impressions" | "revenue">
    | ErrorPath;
  readonly surfaces:
    | List<"surfaces", "id" | "name" | "status" | "cpm_range" | `cpm_range.${number}`>
    | ErrorPath;
  readonly payouts:
    | List<"payouts", "id" | "date" | "amount_inr" | "upi_id" | "status" | "txn_id">
    | "pending_inr"
    | ErrorPath;
  readonly raw: string;
  readonly unknown: string;
  readonly nothing: never;
  readonly tally:
    | keyof TallySummary
    | `statuses.${number}`
    | `operations.${OperationId}`
    | `operations.${OperationId}.${"sent" | "ok"}`;
  readonly publisher: PublisherPath;
  readonly keys: "apiKey" | "oldKey";
}
type List<Name extends string, Member extends string> =
  | Name
  | `${Name}.${number}`
  | `${Name}.${number}.${Member}`;
/** Errors look as the reading of errors.body says. */
type ErrorPath =
  | "type"
  | "title"
  | "status"
  | "detail"
  | "code"
  | "parameter"
  | "error"
  | `error.${string}`
  | "errors"
  | `errors.${string}`;
type PublisherPath =
  | "id"
  | "apiKey"
  | "joined"
  | List<"surfaces", "id" | "name" | "status" | "cpmRange" | `cpmRange.${number}`>;

/** Every reference that leads somewhere. */
export type ReferenceTo<K extends Known> =
  | `publishers.${number}.${PublisherPath}`
  | (K extends readonly [infer Name extends string, infer Gives extends Given]
      ? Gives extends "nothing"
        ? never
        : Name | `${Name}.${Paths[Gives]}`
      : never);
/** Names of steps that give one of these. */
type Named<K extends Known, Gives extends Given> = K extends readonly [infer Name, infer One]
  ? One extends Gives | "unknown"
    ? Name
    : never
  : never;
export type Answers<K extends Known> = Named<K, OperationId | "raw">;
export type CastOf<K extends Known> = number | Named<K, "publisher">;
