/** Commands to a client, its service and the clock. They are data, so that they can be shrunk, printed and replayed. */

import * as v from "valibot";
import { formatHttpDate } from "../../base/calendar.ts";
import { inField, parseInput } from "../../base/input.ts";
import { given } from "../../base/plain-data.ts";
import { strictObject, wholeFrom } from "../../base/schemas.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { Verdict } from "../../faults/verdict.ts";
import type { Period } from "../driver/driver.ts";
import { type Spelling, spellings } from "./names.ts";

/** A command to the client. */
export type ClientCommand =
  /**
   * Reports a new ad view, with a session of its own. `surface` is an index into the publisher's active surfaces, and
   * wraps around. `ad` is the index of an earlier view whose ad is shown again, on the same surface or on another; it wraps
   * around too. Default: a new ad. `spelling`: "unusual" gives the ad and the session long names with special characters,
   * "numeric" gives them names that a client could take for numbers. The API has to accept both. Default: "plain".
   */
  | {
      readonly kind: "impression";
      readonly surface: number;
      readonly ad?: number | undefined;
      readonly spelling?: Spelling | undefined;
    }
  /** Reports the same view again, as a page does that renders twice. Indexes of views wrap around. */
  | { readonly kind: "again"; readonly impression: number }
  /** Reports a click on a view. */
  | { readonly kind: "click"; readonly impression: number }
  /** `surface`: index of the surface to which the figures are restricted. */
  | ({ readonly kind: "stats"; readonly surface?: number | undefined } & Period)
  | { readonly kind: "surfaces" }
  | { readonly kind: "payouts"; readonly limit?: number | undefined }
  | { readonly kind: "flush" }
  /** Closes the client before the session ends, so that later commands find it closed. */
  | { readonly kind: "close" };

/** The commands that ask for figures or lists. */
export const queryKinds = ["stats", "surfaces", "payouts"] as const;
export type QueryKind = (typeof queryKinds)[number];

/** The API's parameters for a query to the client. Indexes of surfaces wrap around. */
export function queryOf(
  command: Extract<ClientCommand, { kind: QueryKind }>,
  surfaces: readonly { readonly id: string }[],
): Readonly<Record<string, string | number>> {
  const { kind, ...query } = command;
  if (!("surface" in query) || query.surface === undefined) return given(query);
  return given({ ...query, surface: surfaces[query.surface % surfaces.length]?.id });
}

/** A command to the client's world. */
export type WorldCommand =
  /** Lets time pass, in milliseconds. */
  | { readonly kind: "advance"; readonly byMs: number }
  /**
   * Adds a fault rule. `retryInMs`: its answers have a Retry-After with the date that is this much later, in milliseconds.
   * Default: the headers are those of the rule.
   */
  | { readonly kind: "fault"; readonly rule: FaultRule; readonly retryInMs?: number | undefined }
  /** Removes all fault rules. */
  | { readonly kind: "heal" }
  /** Another program with the same key sends until the limit has only `left` requests left in this minute. */
  | { readonly kind: "spend"; readonly left: number; readonly of: "recording" | "reporting" };

export type Command =
  | ClientCommand
  | WorldCommand
  /** Starts all these commands without waiting for any of them: at once, or `apartMs` milliseconds after each other. */
  | {
      readonly kind: "together";
      readonly commands: readonly ClientCommand[];
      readonly apartMs?: number | undefined;
    };

/** The command with the date of `retryInMs` in its rule. Only a verdict of kind `respond` has headers: others are refused. */
export function withRetryDate(command: WorldCommand, nowMs: number): WorldCommand {
  if (command.kind !== "fault" || command.retryInMs === undefined) return command;
  const { rule, retryInMs } = command;
  const { verdict } = rule;
  const given = verdict.kind === "respond" ? verdict.headers : {};
  const headers = { ...given, "Retry-After": formatHttpDate(nowMs + retryInMs) };
  return { kind: "fault", rule: { ...rule, verdict: { ...verdict, headers } as Verdict } };
}

const place = wholeFrom(0);
const maybePlace = v.optional(place);
const text = v.optional(v.string());
const ofClient = [
  schemaOf("impression", {
    ...{ surface: place, ad: maybePlace, spelling: v.optional(v.picklist(spellings)) },
  }),
  schemaOf("again", { impression: place }),
  schemaOf("click", { impression: place }),
  schemaOf("stats", { surface: maybePlace, from: text, to: text }),
  schemaOf("surfaces"),
  schemaOf("payouts", { limit: v.optional(v.number()) }),
  schemaOf("flush"),
  schemaOf("close"),
];
const commands = v.pipe(v.array(v.variant("kind", ofClient)), v.minLength(1, "must not be empty"));
const schema = v.variant("kind", [
  ...ofClient,
  schemaOf("together", { commands, apartMs: maybePlace }),
  schemaOf("advance", { byMs: place }),
  // The simulator checks the rule.
  schemaOf("fault", { rule: v.unknown(), retryInMs: maybePlace }),
  schemaOf("heal"),
  schemaOf("spend", { left: place, of: v.picklist(["recording", "reporting"]) }),
]);

function schemaOf(kind: Command["kind"], members: v.ObjectEntries = {}) {
  return strictObject({ kind: v.literal(kind), ...members });
}

/** @throws InputError that names the invalid member. */
export function checkCommand(command: Command): void {
  inField("command", () => parseInput(schema, command));
}

const clientKinds: readonly string[] = ofClient.map(({ entries: { kind } }) => kind.literal);

export function isOfClient(command: { readonly kind: string }): command is ClientCommand {
  return clientKinds.includes(command.kind);
}
