/** What a property test has a client, its service and the clock do, as data: it can be shrunk, printed, and played again. */

import type { FaultRule } from "../../faults/rule.ts";
import type { Period } from "../driver/driver.ts";

/** Something that the client itself is asked to do. */
export type ClientCommand =
  /**
   * Reports a new showing, on the surface at this place of the publisher's active ones. Places wrap around. `unusual`: its
   * ad and its session have names that few would think of, and that the API takes as any others.
   *
   * `spelling` is "plain" where it is left out.
   */
  | {
      readonly kind: "impression";
      readonly surface: number;
      readonly spelling?: "plain" | "unusual" | undefined;
    }
  /** Reports the same showing once more, as a page does that renders twice. Places of showings wrap around. */
  | { readonly kind: "again"; readonly impression: number }
  /** Reports a click on a showing. */
  | { readonly kind: "click"; readonly impression: number }
  /** `surface`: place of the surface that the figures are restricted to. */
  | ({ readonly kind: "stats"; readonly surface?: number | undefined } & Period)
  | { readonly kind: "surfaces" }
  | { readonly kind: "payouts"; readonly limit?: number | undefined }
  | { readonly kind: "flush" };

/** A kind that is missing here is a type error. */
const clientKinds: Readonly<Record<ClientCommand["kind"], true>> = {
  impression: true,
  again: true,
  click: true,
  stats: true,
  surfaces: true,
  payouts: true,
  flush: true,
};

export function isOfClient(command: { readonly kind: string }): command is ClientCommand {
  return Object.hasOwn(clientKinds, command.kind);
}

/** What a client is asked for in a question: the parameters of the API that are given. Places of surfaces wrap around. */
export function queryOf(
  command: Extract<ClientCommand, { kind: "stats" | "surfaces" | "payouts" }>,
  surfaces: readonly { readonly id: string }[],
): Readonly<Record<string, string | number>> {
  if (command.kind === "surfaces") return {};
  if (command.kind === "payouts") {
    return command.limit === undefined ? {} : { limit: command.limit };
  }
  const { from, to, surface: place } = command;
  const surface = place === undefined ? undefined : surfaces[place % surfaces.length]?.id;
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(surface !== undefined && { surface }),
  };
}

/** Something that happens to it. */
export type WorldCommand =
  /** Time passes: milliseconds. */
  | { readonly kind: "advance"; readonly byMs: number }
  /** From now on this rule is in force. */
  | { readonly kind: "fault"; readonly rule: FaultRule }
  /** All fault rules are gone. */
  | { readonly kind: "heal" }
  /** Another program with the same key sends until the minute has only so many left. */
  | { readonly kind: "spend"; readonly left: number; readonly of: "recording" | "reporting" };

export type Command =
  | ClientCommand
  | WorldCommand
  /** The client is asked for all of it at once, and nobody waits in between. */
  | { readonly kind: "together"; readonly commands: readonly ClientCommand[] };
