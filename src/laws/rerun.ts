/** What laws ask of a run that is done again: the same answers, the same state, or answers that can be told apart. */

import type { SimulatorCore } from "../simulator/simulator.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { ApiResponse } from "../spec/messages.ts";
import {
  createLawContext,
  ensure,
  inconclusive,
  type LawCheck,
  type LawContext,
  readingsOf,
  steadyReadingsOf,
} from "./law.ts";
import { keyOf } from "./read-trace.ts";
import {
  halfwayPlace,
  type RerunChange,
  type RerunPlan,
  type RerunResult,
  runAgain,
  type WorldAction,
} from "./rerun-plan.ts";
import type { TracedExchange } from "./trace.ts";

/** A run that can be done again. */
export interface Rerun {
  readonly played: LawContext;
  readonly again: RerunPlan;
  /** As it was done, in a new world. */
  unchanged(): RerunResult;
  /** Otherwise. */
  play(change: RerunChange): RerunResult;
  /** The exchange of the played world that a deed was. */
  exchangeAt(place: number): TracedExchange | undefined;
}

/** A look at a run that is done again. `least`: requests that there must be in it. */
export function rerunCheck(look: (rerun: Rerun) => string, least = 1): LawCheck {
  return (played) => {
    const rerun = rerunOf(played);
    const { sent, reproduced } = countReproduced(rerun);
    if (sent < least) inconclusive("nothing was sent that could be played again");
    const what = look(rerun);
    return `${sent} requests played again, ${reproduced} answered as before: ${what}`;
  };
}

function rerunOf(played: LawContext): Rerun {
  return played.memoize("rerun", () => {
    const { again } = played;
    if (typeof again === "string") return inconclusive(again);
    const { kept } = played.trace;
    const places = new Map<number, TracedExchange | undefined>();
    for (const [place, { kind }] of again.actions.entries())
      if (kind === "request") places.set(place, kept[places.size]);
    return {
      played,
      again,
      unchanged: () => played.memoize("straight", () => runAgain(again)),
      play: (change) => runAgain(again, change),
      exchangeAt: (place) => places.get(place),
    };
  });
}

/** How many requests are answered with the status that they had: what else there was isn't among the deeds. */
function countReproduced({ played, unchanged, exchangeAt }: Rerun): {
  sent: number;
  reproduced: number;
} {
  return played.memoize("reproduced", () => {
    const { answers } = unchanged();
    let [sent, reproduced] = [0, 0];
    for (const [place, answer] of answers.entries()) {
      if (answer === undefined) continue;
      sent += 1;
      if (answer.status === exchangeAt(place)?.status) reproduced += 1;
    }
    if (sent > 0 && reproduced === 0)
      inconclusive("in a new world no request is answered as it was");
    return { sent, reproduced };
  });
}

/** What a look finds where a run is half over, and the world in the end. Undefined where nothing was done. */
export function halfway<Found>(
  { again, play }: Rerun,
  look: (sim: SimulatorCore) => Found,
): { readonly found: Found | undefined; readonly sim: SimulatorCore } {
  const half = halfwayPlace(again);
  let found: Found | undefined;
  const { sim } = play({
    between(world, place) {
      if (place === half) found = look(world);
      return world;
    },
  });
  return { found, sim };
}

/** What was sent in both must have been answered alike. */
export function ensureSameAnswers(
  { exchangeAt }: Rerun,
  expected: RerunResult["answers"],
  actual: RerunResult["answers"],
  where: string,
): void {
  for (const [place, answer] of actual.entries()) {
    const [before, after] = [bytesOf(expected[place]), bytesOf(answer)];
    if (after === undefined || after === before) continue;
    const { method, path } = exchangeAt(place) ?? { method: "", path: "" };
    ensure(
      false,
      () => `request ${place + 1}, ${method} ${path}, got ${before}, and ${where} ${after}`,
    );
  }
}

function bytesOf(answer: ApiResponse | undefined): string | undefined {
  return answer && JSON.stringify([answer.status, answer.headers, answer.body]);
}

export function ensureSameState(one: SimulatorCore, other: SimulatorCore, what: string): void {
  const same = JSON.stringify(one.snapshot()) === JSON.stringify(other.snapshot());
  ensure(same, () => `${what}, the two worlds have different states`);
}

const legibleForms = {
  "auth.failure": "401",
  "errors.body": "problem",
  "limit.exceeded": "429",
  "limit.retry-after": "seconds",
  "money.precision": "exact",
} as const;

/** A run of which every refusal says which it is, and every amount all of it. */
interface LegibleRun {
  readonly played: LawContext;
  readonly options: SimulatorOptions;
  readonly sim: SimulatorCore;
}

/** What counts and what is refused doesn't depend on how an answer looks. */
export function legibleRunOf({ played, again, play }: Rerun): LegibleRun {
  return played.memoize("legible", () => {
    steadyReadingsOf(played);
    if (again.missing !== undefined) inconclusive(again.missing);
    const assumptions = resolveAssumptions({ ...again.options.assumptions, ...legibleForms });
    const options = { ...again.options, assumptions };
    const { answers, sim } = play({ options });
    const responses = answers.filter((answer) => answer !== undefined);
    const { trace } = played;
    const kept = responses.map((response, at) => legibleExchange(trace.kept[at], response));
    const legible = createLawContext({
      ...played,
      trace: {
        ...trace,
        kept,
        total: kept.length,
        disturbedFrom: Number.POSITIVE_INFINITY,
        scriptedFrom: Number.POSITIVE_INFINITY,
      },
      isExactTime: true,
      readings: assumptions,
      world: sim,
    });
    return { played: legible, options, sim };
  });
}

function legibleExchange(
  seen: TracedExchange | undefined,
  { status, headers, body }: ApiResponse,
): TracedExchange {
  if (seen === undefined) return inconclusive("the repetition did more than the first play");
  return {
    ...seen,
    outcome: "answered",
    status,
    remaining: headers["x-ratelimit-remaining"],
    retryAfter: headers["retry-after"],
    text: body,
  };
}

/** A look at the answers, at those of the same run where each says all. */
export function checkLegibleRun(look: LawCheck): LawCheck {
  return rerunCheck((rerun) => look(legibleRunOf(rerun).played));
}

/** Senders, those together whose keys were used for one another. `key`: also whoever has no valid one. */
export function groupsOf(
  { played, again, exchangeAt }: Rerun,
  by: "publisher" | "key",
): SenderGroup[] {
  const readings = readingsOf(played);
  const isAnybodys = readings["auth.key-scope"] === "any";
  const { keys } = played.trace;
  const groups = new Map<string, Set<string>>();
  const groupAt = (name: string): Set<string> => {
    const group = groups.get(name) ?? new Set([name]);
    groups.set(name, group);
    return group;
  };
  const senders = again.actions.map((deed, place): string | undefined => {
    if (deed.kind !== "request") return "publisher" in deed ? deed.publisher : undefined;
    const seen = exchangeAt(place);
    if (seen === undefined) return undefined;
    const key = keyOf(seen, readings);
    const caller = keys.get(key)?.publisher ?? (by === "key" ? key : undefined);
    if (caller === undefined) return undefined;
    const group = groupAt(caller);
    if (!isAnybodys) return caller;
    if (seen.about === undefined)
      inconclusive("under auth.key-scope=any publishers share quotas and impressions");
    for (const name of groupAt(seen.about)) {
      group.add(name);
      groups.set(name, group);
    }
    return caller;
  });
  const all = Array.from(new Set(groups.values()));
  if (all.length < 2) inconclusive("fewer than two publishers sent anything");
  return all.map((names) => {
    const isFromGroup = (deed: WorldAction, place: number): boolean => {
      const sender = senders[place];
      return deed.kind !== "request" || (sender !== undefined && names.has(sender));
    };
    return { isFromGroup };
  });
}

/** Tells their requests, and what was done by hand, from what others sent. */
export interface SenderGroup {
  isFromGroup(deed: WorldAction, place: number): boolean;
}
