/**
 * What an audit must say, worked out from the service's own answers, from what each verdict is documented to do, and from
 * what reached the client. Shares no code with the simulator: an event is on record once an answer of status 200 names an id
 * that no answer named before.
 */

import type { Verdict } from "../../../src/faults/verdict.ts";
import type { ApiResponse, EventLine } from "../../../src/index.ts";

export type Operation = "impression" | "click";

/** What the service did once. `micros`: what it credited, in micro-INR. */
interface Effect {
  readonly kind: "applied" | "duplicatesSuppressed" | "refused";
  readonly micros: number;
}

/** A request with all that came of it. */
export interface Attempt {
  readonly operation: Operation;
  /** Id of the publisher whom it counts for; `""` without a valid key. */
  readonly publisher: string;
  readonly effects: readonly Effect[];
  /** The place of the effect whose answer goes on to the client. */
  readonly shown: number;
  /** Whether the client got the service's answer whole, or the one that a rule gave in its place. */
  arrived: boolean;
}

/** The world's truth in one timeline: copied to save it. */
export interface Truth {
  readonly attempts: Attempt[];
  /** Ids of the impressions and clicks on record. */
  readonly events: Record<Operation, string[]>;
}

export function noTruth(): Truth {
  return { attempts: [], events: { impression: [], click: [] } };
}

/** How often the service records an event under a verdict. */
export function timesApplied(verdict: Verdict | undefined): 0 | 1 | 2 {
  switch (verdict?.kind) {
    case "drop":
    case "timeout":
    case "reset":
    case "empty":
      return 0;
    case "respond":
      return verdict.applied === true ? 1 : 0;
    case "wrong-body":
      // An event's answer has no list that could be wrong.
      return verdict.applied === false && !/-(list|rows)$/.test(verdict.wrong) ? 0 : 1;
    case "duplicate":
      return 2;
    default:
      return 1;
  }
}

/** Reads what the service did off its own answer, and notes an event that is new. */
export function learn({ events }: Truth, operation: Operation, own: ApiResponse): Effect {
  if (own.status !== 200) {
    const isDuplicate = /"urn:adsim:error:duplicate_(impression|click)"/.test(own.body);
    return { kind: isDuplicate ? "duplicatesSuppressed" : "refused", micros: 0 };
  }
  const answer = JSON.parse(own.body);
  const id = answer[`${operation}_id`];
  const micros = Math.round(answer.revenue_credited_inr * 1e6);
  if (events[operation].includes(id)) return { kind: "duplicatesSuppressed", micros };
  events[operation].push(id);
  return { kind: "applied", micros };
}

/** What an audit says of these attempts. */
export function linesOf(attempts: readonly Attempt[]): object {
  const of = (operation: Operation): EventLine =>
    lineOf(attempts.filter((one) => one.operation === operation));
  return { ...lineOf(attempts), impressions: of("impression"), clicks: of("click") };
}

function lineOf(attempts: readonly Attempt[]): EventLine {
  const acted = attempts.filter(({ effects }) => effects.length > 0);
  const answered = acted.filter(({ arrived }) => arrived).length;
  const injected = attempts.filter(
    ({ effects, arrived }) => effects.length === 0 && arrived,
  ).length;
  const effects = acted.flatMap((one) =>
    one.effects.map((effect, place) => ({
      ...effect,
      isSeen: one.arrived && place === one.shown,
    })),
  );
  const applied = effects.filter(({ kind }) => kind === "applied");
  const unseen = applied.filter(({ isSeen }) => !isSeen);
  const [recordedMicros, unseenMicros] = [microsOf(applied), microsOf(unseen)];
  return {
    attempts: attempts.length,
    answered,
    injected,
    lost: acted.length - answered,
    dropped: attempts.length - acted.length - injected,
    copies: effects.length - acted.length,
    applied: applied.length,
    duplicatesSuppressed: effects.filter(({ kind }) => kind === "duplicatesSuppressed").length,
    refused: effects.filter(({ kind }) => kind === "refused").length,
    unseen: unseen.length,
    creditedSeenInr: (recordedMicros - unseenMicros) / 1e6,
    creditedUnseenInr: unseenMicros / 1e6,
    creditedRecordedInr: recordedMicros / 1e6,
  };
}

function microsOf(effects: readonly Effect[]): number {
  return effects.reduce((sum, { micros }) => sum + micros, 0);
}
