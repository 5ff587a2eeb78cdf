/** Turns a verdict into a plan for one request: how often the service acts, and what happens to its answer on the way. */

import { durationMs } from "../base/duration.ts";
import { drawBetween, type Key, subKey } from "../base/random.ts";
import type { DeliveryMode } from "../spec/delivery.ts";
import { type ApiResponse, noResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Loss, Verdict, VerdictKind } from "./verdict.ts";
import { unservedAnswer, wrongAnswer } from "./wrong-body.ts";

/** The answer that replaces the service's. */
export type Injected = Extract<Verdict, { readonly kind: "respond" }>;

/** A service's answer as it arrives. */
export interface Handover {
  /** What the client sees; status 0 if nothing arrives. */
  readonly response: ApiResponse;
  readonly mode: DeliveryMode;
}

export interface Plan {
  /** How often the service carries out the request. */
  readonly applications: 0 | 1 | 2;
  /** Which answer the client gets if the service carries out the request twice. */
  readonly answerOf: "first" | "second";
  readonly injected: Injected | undefined;
  /** Changes the service's answer. Returns the same object if nothing changes. */
  alter(own: ApiResponse): ApiResponse;
  /** Decides how an answer, the service's or the injected one, arrives. */
  handOver(answer: ApiResponse): Handover;
}

/** The randomness of one request. */
interface Draws {
  readonly key: () => Key;
  readonly ordinal: number;
}

/** What a plan depends on besides the verdict. */
export interface PlannedRequest extends Draws {
  readonly operation: OperationId | undefined;
}

type Planner<Kind extends VerdictKind> = (
  verdict: Extract<Verdict, { readonly kind: Kind }>,
  request: PlannedRequest,
) => Plan;

export function planOf<Kind extends VerdictKind>(
  verdict: Extract<Verdict, { readonly kind: Kind }>,
  request: PlannedRequest,
): Plan {
  // The planner of a kind takes verdicts of that kind.
  const planner = planners[verdict.kind as Kind] as Planner<Kind>;
  return planner(verdict, request);
}

const once: Plan = {
  applications: 1,
  answerOf: "first",
  injected: undefined,
  alter: (own) => own,
  handOver: whole,
};
const never: Plan = { ...once, applications: 0 };

const planners: { readonly [Kind in VerdictKind]: Planner<Kind> } = {
  delay: () => once,
  respond: (injected) => ({ ...once, applications: injected.applied === true ? 1 : 0, injected }),
  drop: ({ as }) => ({ ...never, handOver: () => nothing(as) }),
  "lose-response": ({ as }) => ({ ...once, handOver: () => nothing(as) }),
  timeout: () => ({ ...never, handOver: () => nothing("silence") }),
  reset: () => ({ ...never, handOver: () => nothing("reset") }),
  empty: () => ({ ...never, handOver: () => nothing("close") }),
  truncate: (verdict) => ({ ...once, handOver: (answer) => cut(answer, verdict) }),
  garbage: ({ as }, draws) => ({
    ...once,
    handOver: (answer) => (as === "response" ? noise(draws) : garbled(answer, draws)),
  }),
  "wrong-body": ({ applied, wrong }, { operation }) => {
    const unserved = applied === false ? unservedAnswer(operation, wrong) : undefined;
    return unserved === undefined
      ? { ...once, alter: (own) => wrongAnswer(own, wrong) }
      : { ...never, injected: { kind: "respond", ...unserved } };
  },
  drip: ({ bytesPerSecond }) => ({
    ...once,
    handOver: (response) => ({ response, mode: { kind: "drip", bytesPerSecond } }),
  }),
  duplicate: ({ answer = "first" }) => ({ ...once, applications: 2, answerOf: answer }),
  reorder: ({ by = 1, atMost = "1s" }) => ({
    ...once,
    handOver: (response) => ({
      response,
      mode: { kind: "overtaken", by, atMostMs: durationMs(atMost) },
    }),
  }),
};

export const verdictKinds: readonly VerdictKind[] = Object.keys(planners) as VerdictKind[];

function whole(response: ApiResponse): Handover {
  return { response, mode: { kind: "whole" } };
}

function nothing(as: Loss = "close"): Handover {
  return { response: noResponse, mode: { kind: as } };
}

function cut(
  answer: ApiResponse,
  verdict: Extract<Verdict, { readonly kind: "truncate" }>,
): Handover {
  const bytes = new TextEncoder().encode(answer.body);
  const { atByte } = verdict;
  // A function may return a verdict with atByte: undefined.
  const sentBytes = atByte === undefined ? Math.floor(verdict.share * bytes.length) : atByte;
  // The body is too short to be cut, or there is none, as with HEAD.
  if (sentBytes >= bytes.length) return whole(answer);
  const sent = bytes.subarray(0, sentBytes);
  const body = new TextDecoder().decode(sent);
  return {
    response: { ...answer, body },
    mode: { kind: "cut", bytes: sent },
  };
}

function garbled(answer: ApiResponse, draws: Draws): Handover {
  const { length } = new TextEncoder().encode(answer.body);
  if (length === 0) return whole(answer);
  const bytes = meaningless(length, draws);
  const body = new TextDecoder().decode(bytes);
  return { response: { ...answer, body }, mode: { kind: "bytes", bytes } };
}

const NOISE_BYTES = 64;

function noise(draws: Draws): Handover {
  const bytes = meaningless(NOISE_BYTES, draws);
  return { response: noResponse, mode: { kind: "noise", bytes } };
}

/** Random bytes that aren't valid UTF-8, JSON or HTTP: none of them can begin with 0xff. */
function meaningless(length: number, { key, ordinal }: Draws): Uint8Array {
  const own = subKey(key(), ordinal);
  const bytes = Uint8Array.from({ length }, (_, index) => drawBetween(own, index, 0, 255));
  bytes[0] = 0xff;
  return bytes;
}
