/** Repeats a run for the laws, unchanged or changed, and compares answers and states. */

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

/** A run that can be repeated. */
export interface Rerun {
  readonly played: LawContext;
  readonly plan: RerunPlan;
  /** Repeats the run in a new world. */
  unchanged(): RerunResult;
  /** Repeats the run with a change. */
  playWith(change: RerunChange): RerunResult;
  /** The original exchange of an action. */
  exchangeAt(place: number): TracedExchange | undefined;
}

/** Makes a check of a repeated run. `minRequests`: inconclusive if the run has fewer. */
export function rerunCheck(check: (rerun: Rerun) => string, minRequests = 1): LawCheck {
  return (played) => {
    const rerun = rerunOf(played);
    const { sent, reproduced } = countReproduced(rerun);
    if (sent < minRequests) inconclusive("nothing was sent that could be played again");
    const what = check(rerun);
    return `${sent} requests played again, ${reproduced} answered as before: ${what}`;
  };
}

function rerunOf(played: LawContext): Rerun {
  return played.memoize("rerun", () => {
    const { rerunPlan: plan } = played;
    if (typeof plan === "string") return inconclusive(plan);
    const { kept } = played.trace;
    const places = new Map<number, TracedExchange | undefined>();
    for (const [place, { kind }] of plan.actions.entries())
      if (kind === "request") places.set(place, kept[places.size]);
    return {
      played,
      plan,
      unchanged: () => played.memoize("unchanged", () => runAgain(plan)),
      playWith: (change) => runAgain(plan, change),
      exchangeAt: (place) => places.get(place),
    };
  });
}

/** How many requests get the same status as before. Other influences, such as fault rules, aren't repeated. */
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
      inconclusive("in a new world no request got the same status as before");
    return { sent, reproduced };
  });
}

/** Repeats a run, and returns what `inspect` finds in its middle and the world at its end. Undefined without actions. */
export function halfway<Found>(
  { plan, playWith }: Rerun,
  inspect: (sim: SimulatorCore) => Found,
): { readonly found: Found | undefined; readonly sim: SimulatorCore } {
  const half = halfwayPlace(plan);
  let found: Found | undefined;
  const { sim } = playWith({
    between(world, place) {
      if (place === half) found = inspect(world);
      return world;
    },
  });
  return { found, sim };
}

/** Requests that were sent in both must have the same answers. */
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

/** A run in which every refusal has its code, and every amount is exact. */
interface LegibleRun {
  readonly played: LawContext;
  readonly options: SimulatorOptions;
  readonly sim: SimulatorCore;
}

/** Repeats the run with legible answers. Their form doesn't affect what counts and what is refused. */
export function legibleRunOf({ played, plan, playWith }: Rerun): LegibleRun {
  return played.memoize("legible", () => {
    steadyReadingsOf(played);
    if (plan.missing !== undefined) inconclusive(plan.missing);
    const assumptions = resolveAssumptions({ ...plan.options.assumptions, ...legibleForms });
    const options = { ...plan.options, assumptions };
    const { answers, sim } = playWith({ options });
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
  exchange: TracedExchange | undefined,
  { status, headers, body }: ApiResponse,
): TracedExchange {
  if (exchange === undefined) return inconclusive("the repetition did more than the first play");
  return {
    ...exchange,
    outcome: "answered",
    status,
    remaining: headers["x-ratelimit-remaining"],
    retryAfter: headers["retry-after"],
    text: body,
  };
}

/** Applies a check of answers to the same run with legible answers. */
export function checkLegibleRun(check: (played: LawContext) => string): LawCheck {
  return rerunCheck((rerun) => check(legibleRunOf(rerun).played));
}

/** Whether the action is a request of the group, or not a request at all. */
type IsFromGroup = (action: WorldAction, place: number) => boolean;

/** Groups senders. Those whose keys were used for each other share a group. With `key`, invalid keys are senders too. */
export function groupsOf(
  { played, plan, exchangeAt }: Rerun,
  by: "publisher" | "key",
): IsFromGroup[] {
  const readings = readingsOf(played);
  const isAnybodys = readings["auth.key-scope"] === "any";
  const { keys } = played.trace;
  const groups = new Map<string, Set<string>>();
  const groupAt = (name: string): Set<string> => {
    const group = groups.get(name) ?? new Set([name]);
    groups.set(name, group);
    return group;
  };
  const senders = plan.actions.map((action, place): string | undefined => {
    if (action.kind !== "request") return "publisher" in action ? action.publisher : undefined;
    const exchange = exchangeAt(place);
    if (exchange === undefined) return undefined;
    const key = keyOf(exchange);
    const caller = keys.get(key)?.publisher ?? (by === "key" ? key : undefined);
    if (caller === undefined) return undefined;
    const group = groupAt(caller);
    if (!isAnybodys) return caller;
    if (exchange.about === undefined)
      inconclusive("under auth.key-scope=any publishers share quotas and impressions");
    for (const name of groupAt(exchange.about)) {
      group.add(name);
      groups.set(name, group);
    }
    return caller;
  });
  const all = Array.from(new Set(groups.values()));
  if (all.length < 2) inconclusive("fewer than two publishers sent anything");
  return all.map((names) => (action, place) => {
    const sender = senders[place];
    return action.kind !== "request" || (sender !== undefined && names.has(sender));
  });
}
