/** Turns a verdict into a plan for one request: how often the service acts, and what happens to its answer on the way. */

import { durationMs } from "../base/duration.ts";
import { drawBetween, type Key } from "../base/random.ts";
import { utf8Length } from "../base/text.ts";
import type { DeliveryMode } from "../spec/delivery.ts";
import { type ApiResponse, noResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Verdict, VerdictKind } from "./verdict.ts";
import { unservedAnswer, wrongAnswer } from "./wrong-body.ts";

type VerdictOf<Kind extends VerdictKind> = Extract<Verdict, { readonly kind: Kind }>;

/** The answer that replaces the service's. */
export type Injected = VerdictOf<"respond">;

/** An answer as it arrives. */
interface Handover {
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

/** What a plan depends on besides the verdict. */
interface PlannedRequest {
  readonly operation: OperationId | undefined;
  /** Returns the key of this request's draws. */
  keyOf(): Key;
}

export function planOf(verdict: Verdict, request: PlannedRequest): Plan {
  // The planner of a kind takes verdicts of that kind.
  const planner = planners[verdict.kind] as Planner<VerdictKind>;
  return { ...once, ...planner(verdict, request) };
}

const once: Plan = {
  applications: 1,
  answerOf: "first",
  injected: undefined,
  alter: (own) => own,
  handOver: whole,
};

type Planner<Of extends VerdictKind> = (
  verdict: VerdictOf<Of>,
  of: PlannedRequest,
) => Partial<Plan>;

const planners: { readonly [Kind in VerdictKind]: Planner<Kind> } = {
  delay: () => once,
  respond: (injected) => ({ applications: injected.applied === true ? 1 : 0, injected }),
  drop: ({ as }) => ({ applications: 0, handOver: () => nothing(as) }),
  "lose-response": ({ as }) => ({ handOver: () => nothing(as) }),
  timeout: () => ({ applications: 0, handOver: () => nothing("silence") }),
  reset: () => ({ applications: 0, handOver: () => nothing("reset") }),
  empty: () => ({ applications: 0, handOver: () => nothing("close") }),
  truncate: (verdict) => ({ handOver: (answer) => cut(answer, verdict) }),
  garbage: ({ as }, { keyOf }) => ({
    handOver: as === "response" ? () => noise(keyOf()) : (answer) => garbled(answer, keyOf()),
  }),
  "wrong-body": ({ applied, wrong }, { operation }) => {
    const unserved = applied === false ? unservedAnswer(operation, wrong) : undefined;
    return unserved === undefined
      ? { alter: (own) => wrongAnswer(own, wrong) }
      : { applications: 0, injected: { kind: "respond", ...unserved } };
  },
  drip: ({ bytesPerSecond }) => ({
    handOver: (response) => ({ response, mode: { kind: "drip", bytesPerSecond } }),
  }),
  duplicate: ({ answer = "first" }) => ({ applications: 2, answerOf: answer }),
  reorder({ by = 1, atMost = "1s" }) {
    const mode = { kind: "overtaken", by, atMostMs: durationMs(atMost) } as const;
    return { handOver: (response) => ({ response, mode }) };
  },
};

export const verdictKinds: readonly VerdictKind[] = Object.keys(planners) as VerdictKind[];

function whole(response: ApiResponse): Handover {
  return { response, mode: { kind: "whole" } };
}

function nothing(as: VerdictOf<"drop">["as"] = "close"): Handover {
  return { response: noResponse, mode: { kind: as } };
}

function cut(answer: ApiResponse, { atByte, share = 0 }: VerdictOf<"truncate">): Handover {
  const bytes = new TextEncoder().encode(answer.body);
  const sentBytes = atByte ?? Math.floor(share * bytes.length);
  // The body is too short to be cut, or there is none, as with HEAD.
  const isWhole = sentBytes >= bytes.length;
  return isWhole ? whole(answer) : inBytes(answer, "cut", bytes.subarray(0, sentBytes));
}

function garbled(answer: ApiResponse, key: Key): Handover {
  const length = utf8Length(answer.body);
  return length === 0 ? whole(answer) : inBytes(answer, "bytes", meaningless(length, key));
}

function inBytes(answer: ApiResponse, kind: "cut" | "bytes", bytes: Uint8Array): Handover {
  const body = new TextDecoder().decode(bytes);
  return { response: { ...answer, body }, mode: { kind, bytes } };
}

function noise(key: Key): Handover {
  return { response: noResponse, mode: { kind: "noise", bytes: meaningless(64, key) } };
}

/** Random bytes that aren't valid UTF-8, JSON or HTTP: none of them can begin with 0xff. */
function meaningless(length: number, key: Key): Uint8Array {
  const bytes = Uint8Array.from({ length }, (_, index) => drawBetween(key, index, 0, 255));
  bytes[0] = 0xff;
  return bytes;
}
