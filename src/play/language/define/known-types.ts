/** What types know at a place of a scenario: the names of earlier steps, what each gives, and the paths into that. */

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

/** What a step gives to later ones. `unknown`: of a step whose type doesn't tell. */
type OutputKind = OperationId | "raw" | "tally" | "publisher" | "keys" | "nothing" | "unknown";

/** A named step: its name and what it gives. A union of them is all that is known at a place. */
export type NamedOutput = readonly [name: string, output: OutputKind];

/** What a step gives, by what it is. */
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
/** Paths to members and elements; those to objects and lists too, which expectations may look at. */
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

/** Errors look as the reading of errors.body says. */
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

/** Every reference that leads somewhere. */
export type ReferenceTo<K extends NamedOutput> =
  | `publishers.${number}.${PathOf<"publisher">}`
  | (K extends readonly [infer Name extends string, infer Output extends OutputKind]
      ? Output extends "nothing"
        ? never
        : Name | `${Name}.${PathOf<Output>}`
      : never);
/** Names of steps that give one of these. */
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
