/**
 * What an audit must say, worked out from the service's own answers and from what each verdict is documented to do. Shares
 * no code with the simulator: an event is on record once an answer of status 200 names an id that no answer named before.
 */

import type { Verdict } from "../../../src/faults/verdict.ts";
import type { ApiResponse } from "../../../src/index.ts";

export type Operation = "impressions" | "clicks";

/** The members of an audit's line that count requests, and the credits in micro-INR. */
export interface Line {
  answered: number;
  injected: number;
  lost: number;
  dropped: number;
  copies: number;
  applied: number;
  duplicatesSuppressed: number;
  refused: number;
  unseen: number;
  seenMicros: number;
  unseenMicros: number;
}

/** The world's truth in one timeline: copied to save it. */
export interface Truth {
  /** By publisher id; `""`: without a valid key. */
  readonly lines: Record<string, Record<Operation, Line>>;
  /** Every impression on record: whose it is. */
  readonly owners: Record<string, string>;
  /** Every click on record: of which impression. */
  readonly clicks: Record<string, string>;
}

export function noTruth(): Truth {
  return { lines: {}, owners: {}, clicks: {} };
}

function noLine(): Line {
  return {
    answered: 0,
    injected: 0,
    lost: 0,
    dropped: 0,
    copies: 0,
    applied: 0,
    duplicatesSuppressed: 0,
    refused: 0,
    unseen: 0,
    seenMicros: 0,
    unseenMicros: 0,
  };
}

export function lineOf(truth: Truth, publisher: string, operation: Operation): Line {
  truth.lines[publisher] ??= { impressions: noLine(), clicks: noLine() };
  return truth.lines[publisher][operation];
}

/** How often the service does what is asked under a verdict. `isEvent`: it is asked to record an impression or a click. */
export function applicationsOf(verdict: Verdict | undefined, isEvent: boolean): 0 | 1 | 2 {
  if (verdict === undefined) return 1;
  return applications[verdict.kind](verdict, isEvent);
}

const applications: Readonly<
  Record<Verdict["kind"], (verdict: Verdict, isEvent: boolean) => 0 | 1 | 2>
> = {
  delay: () => 1,
  respond: (verdict) => (verdict.kind === "respond" && verdict.applied === true ? 1 : 0),
  drop: () => 0,
  "lose-response": () => 1,
  timeout: () => 0,
  reset: () => 0,
  empty: () => 0,
  truncate: () => 1,
  garbage: () => 1,
  "wrong-body": (verdict, isEvent) => {
    const isUnapplied = verdict.kind === "wrong-body" && verdict.applied === false;
    return isUnapplied && isEvent && canBeWrong(verdict) ? 0 : 1;
  },
  drip: () => 1,
  duplicate: () => 2,
  reorder: () => 1,
};

/** Whether the answer to an event can be wrong in this way: it has no list. */
function canBeWrong(verdict: Verdict): boolean {
  return verdict.kind === "wrong-body" && !/-(list|rows)$/.test(verdict.wrong);
}

/** Whether the service's own answer arrives as it is. */
export function arrivesWhole(verdict: Verdict | undefined, own: ApiResponse): boolean {
  switch (verdict?.kind) {
    case "respond":
    case "lose-response":
      return false;
    case "truncate": {
      const length = Buffer.byteLength(own.body);
      return verdict.atByte !== undefined
        ? verdict.atByte >= length
        : Math.floor((verdict.share ?? 0) * length) >= length;
    }
    case "garbage":
      return verdict.as !== "response" && own.body === "";
    case "wrong-body": {
      if (own.status !== 200 || own.body === "") return true;
      const isEvent = own.body.includes('"ok":');
      return isEvent && !canBeWrong(verdict);
    }
    default:
      return true;
  }
}

/** What one application did. `exact`: its answer in a world that doesn't round. */
export interface Application {
  readonly effect: "applied" | "duplicatesSuppressed" | "refused";
  readonly micros: number;
}

/** Reads what the service did off its own answer, and notes an event that is new. */
export function learn(
  truth: Truth,
  operation: Operation,
  sent: { readonly subject: string; readonly impression: string | undefined },
  exact: ApiResponse,
): Application {
  if (exact.status !== 200) {
    const isDuplicate = /"urn:adsim:error:duplicate_(impression|click)"/.test(exact.body);
    return { effect: isDuplicate ? "duplicatesSuppressed" : "refused", micros: 0 };
  }
  const { impression_id, click_id, revenue_credited_inr } = JSON.parse(exact.body);
  const micros = Math.round(revenue_credited_inr * 1e6);
  if (operation === "impressions") {
    if (truth.owners[impression_id] !== undefined)
      return { effect: "duplicatesSuppressed", micros };
    truth.owners[impression_id] = sent.subject;
    return { effect: "applied", micros };
  }
  const impression = sent.impression ?? "";
  if (truth.clicks[click_id] !== undefined) return { effect: "duplicatesSuppressed", micros };
  truth.clicks[click_id] = impression;
  return { effect: "applied", micros };
}

/** An attempt that is on its way back to the client, for when it doesn't arrive after all. */
export interface Returning {
  giveUp(): void;
}

/** Counts an attempt with all that was done of it. `shown`: the place of the application whose answer goes on. */
export function count(
  line: Line,
  {
    done,
    shown,
    isWhole,
    isInjected,
  }: {
    readonly done: readonly Application[];
    readonly shown: number;
    readonly isWhole: boolean;
    readonly isInjected: boolean;
  },
): Returning {
  for (const [place, { effect, micros }] of done.entries()) {
    line[effect] += 1;
    if (effect !== "applied") continue;
    const isSeen = place === shown && isWhole;
    line.unseen += isSeen ? 0 : 1;
    line[isSeen ? "seenMicros" : "unseenMicros"] += micros;
  }
  line.copies += Math.max(0, done.length - 1);
  const [first] = done;
  if (first !== undefined) line[isWhole ? "answered" : "lost"] += 1;
  else line[isInjected ? "injected" : "dropped"] += 1;
  return { giveUp: () => giveUp(line, done[shown], { isWhole, isInjected }) };
}

function giveUp(
  line: Line,
  shown: Application | undefined,
  { isWhole, isInjected }: { readonly isWhole: boolean; readonly isInjected: boolean },
): void {
  if (shown === undefined) {
    line.injected -= isInjected ? 1 : 0;
    line.dropped += isInjected ? 1 : 0;
  } else if (isWhole) {
    line.answered -= 1;
    line.lost += 1;
    if (shown.effect !== "applied") return;
    line.unseen += 1;
    line.seenMicros -= shown.micros;
    line.unseenMicros += shown.micros;
  }
}
