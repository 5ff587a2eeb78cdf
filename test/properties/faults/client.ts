/** A client with counts of its own. It knows only what its connections bring. */

import type { ApiResponse } from "../../../src/index.ts";
import type { Operation } from "./expectation.ts";

/** What arrives. `undefined`: nothing that is an HTTP response, or one that breaks off. */
export type Arrival = { readonly status: number; readonly text: string } | undefined;

/** What a client gets of a response, going by how it is handed over. */
export function arrivalOf({ status, body, delivery }: ApiResponse): Arrival {
  switch (delivery?.kind) {
    case undefined:
    case "whole":
    case "overtaken":
    case "drip":
      return { status, text: body };
    case "bytes":
      return { status, text: new TextDecoder().decode(delivery.bytes) };
    case "cut":
    case "noise":
    case "close":
    case "reset":
    case "silence":
      return undefined;
  }
}

/** What the client believes of one publisher: the events by their ids, and what it was told that they earn. */
export interface Belief {
  readonly impressions: string[];
  readonly clicks: string[];
  inr: number;
}

/** By publisher id. */
export type Beliefs = Record<string, Belief>;

export function beliefOf(beliefs: Beliefs, publisher: string): Belief {
  beliefs[publisher] ??= { impressions: [], clicks: [], inr: 0 };
  return beliefs[publisher];
}

/** Takes in an answer. @returns the event's id where the client believes it recorded. */
export function takeIn(belief: Belief, operation: Operation, arrival: Arrival): string | undefined {
  if (arrival?.status !== 200) return undefined;
  const answer = parsed(arrival.text);
  const id = operation === "impressions" ? answer?.impression_id : answer?.click_id;
  if (typeof id !== "string") return undefined;
  const credit = answer?.revenue_credited_inr;
  // A wrong answer may have no credit, or none that is a number.
  if (typeof credit === "number") belief.inr += credit;
  if (!belief[operation].includes(id)) belief[operation].push(id);
  return id;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
