/** What the types know at a point in a scenario: the names of earlier steps, their outputs, and the paths into those. */

import type {
  ClickRecord,
  ImpressionRecord,
  Payouts,
  PublisherStats,
  Surfaces,
} from "../../../client/api.ts";
import type { Member } from "../../../laws/client-exchange.ts";
import type { OperationId } from "../../../spec/operations.ts";
import type { TallySummary } from "../../measure/tally.ts";

/** The kind of a step's output. `unknown`: the step's type is too general to tell. */
type OutputKind = OperationId | "raw" | "tally" | "publisher" | "keys" | "nothing" | "unknown";

/** A step's name and output. A union of them describes everything known at a point. */
export type NamedOutput = readonly [name: string, output: OutputKind];

/** The content of each kind of output. */
interface Contents {
  readonly impression: ImpressionRecord;
  readonly click: ClickRecord;
  readonly stats: PublisherStats;
  readonly surfaces: Surfaces;
  readonly payouts: Payouts;
  readonly tally: TallySummary;
  readonly publisher: Member;
  readonly keys: { readonly apiKey: string; readonly oldKey: string };
}
/** Paths to members and elements, including objects and lists, which expectations may match as a whole. */
type PathInto<Content> = Content extends readonly (infer Item)[]
  ? Under<number, Item>
  : Content extends object
    ? {
        [Key in keyof Content & string]-?: string extends Key
          ? `${number}`
          : Under<Key, Content[Key]>;
      }[keyof Content & string]
    : never;
type Under<Key extends string | number, Content> = `${Key}` | `${Key}.${PathInto<Content>}`;

/** Members of error bodies under any choice of `errors.body`. */
type ErrorPath =
  | "type"
  | "title"
  | "status"
  | "detail"
  | "code"
  | "parameter"
  | `error${"" | "s"}${"" | `.${string}`}`;
type PathOf<Output extends OutputKind> = Output extends keyof Contents
  ? PathInto<Contents[Output]> | (Output extends OperationId ? ErrorPath : never)
  : string;

/** Every valid reference. */
export type ReferenceTo<K extends NamedOutput> =
  | `publishers.${number}.${PathOf<"publisher">}`
  | (K extends readonly [infer Name extends string, infer Output extends OutputKind]
      ? Output extends "nothing"
        ? never
        : Name | `${Name}.${PathOf<Output>}`
      : never);
/** Names of the steps with an output of this kind. */
type NamesOfOutput<K extends NamedOutput, Output extends OutputKind> = K extends readonly [
  infer Name,
  infer One,
]
  ? One extends Output | "unknown"
    ? Name
    : never
  : never;
export type AnswerNames<K extends NamedOutput> = NamesOfOutput<K, OperationId | "raw">;
export type PublisherRefOf<K extends NamedOutput> = number | NamesOfOutput<K, "publisher">;
