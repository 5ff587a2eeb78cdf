/** What a sequence is played on, and how one request of it is sent: to the world, to its twin, and then to the oracle. */

import type { ApiResponse } from "../../src/index.ts";
import { type Call, requestOf } from "../oracle/calls.ts";
import type { Choices } from "../oracle/choices.ts";
import type { Account } from "../oracle/facts.ts";
import { inputOf } from "../oracle/inputs.ts";
import type { Oracle } from "../oracle/oracle.ts";
import type { Action, Player } from "./run.ts";

/** Who sends, and with which key. */
export type Sender = Pick<Account, "id" | "apiKey">;

/** What a sequence is played on. */
export interface Stage {
  readonly player: Player;
  /** Plays the same where amounts aren't rounded, if `player` rounds them. */
  readonly twin: Player | undefined;
  readonly oracle: Oracle;
  readonly choices: Choices;
  readonly deadKeys: Sender[];
  readonly sometimes: (place: string) => void;
  saved: { readonly oracle: unknown; readonly deadKeys: readonly Sender[] } | undefined;
  /** What `reset` goes back to. */
  readonly first: unknown;
}

/** The world's time. */
export function nowOf({ player }: Stage): number {
  return player.sim.clock.now();
}

/** Sends a call. @throws Error where the answer isn't the one that the oracle expects. */
export function send(stage: Stage, { id: callerId, apiKey }: Sender, call: Call): void {
  const { oracle } = stage;
  const atMs = nowOf(stage);
  const request = requestOf(call, apiKey);
  const about = subjectOf(stage, callerId, call);
  const { response, exact } = play(stage, { kind: "request", request }, about);
  if (response === undefined || exact === undefined) throw new Error("A request got no answer.");
  try {
    oracle.see({ apiKey, call, atMs, response, exact });
  } catch (error) {
    const sent = `${new Date(atMs).toISOString()} ${JSON.stringify(request)}`;
    throw new Error(`${(error as Error).message}\n  at ${sent}\n  got ${JSON.stringify(response)}`);
  }
}

/** Does it in both worlds. */
export function play(
  { player, twin }: Stage,
  action: Action,
  about?: string,
): { response: ApiResponse | undefined; exact: ApiResponse | undefined } {
  const response = player.play(action, about);
  return { response, exact: twin === undefined ? response : twin.play(action, about) };
}

/** Whom a request is about: the caller, unless its key serves others and it names one. */
function subjectOf({ oracle, choices }: Stage, callerId: string, call: Call): string {
  const input = inputOf(call, choices);
  if (choices["auth.key-scope"] !== "any" || input.kind === "refused") return callerId;
  const { publisher_id, impression_id } = input.values;
  const { accounts, impressions } = oracle.facts;
  const clicked = impressions.find((one) => one.id === impression_id)?.publisherId;
  const named = accounts.find((one) => one.id === publisher_id)?.id;
  return clicked ?? named ?? callerId;
}
