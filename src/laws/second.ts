/** What laws ask of a run that is done again: the same answers, the same state, or answers that can be told apart. */

import type { SimulatorCore } from "../simulator/simulator.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { type Again, type Change, type Deed, doAgain, halfOf, type Second } from "./again.ts";
import {
  inconclusive,
  type Look,
  type Looked,
  lookedOf,
  readingsOf,
  require,
  steadyReadingsOf,
} from "./law.ts";
import { keyOf } from "./reading.ts";
import type { Seen } from "./trace.ts";

/** A run that can be done again. */
export interface Rerun {
  readonly played: Looked;
  readonly again: Again;
  /** As it was done, in a new world. */
  straight(): Second;
  /** Otherwise. */
  play(change: Change): Second;
  /** The exchange of the played world that a deed was. */
  seenAt(place: number): Seen | undefined;
}

/** A look at a run that is done again. `least`: requests that there must be in it. */
export function rerunning(look: (rerun: Rerun) => string, least = 1): Look {
  return (played) => {
    const rerun = rerunOf(played);
    const { sent, reproduced } = reproducedIn(rerun);
    if (sent < least) inconclusive("nothing was sent that could be played again");
    const what = look(rerun);
    return `${sent} requests played again, ${reproduced} answered as before: ${what}`;
  };
}

function rerunOf(played: Looked): Rerun {
  return played.once("rerun", () => {
    const { again } = played;
    if (typeof again === "string") return inconclusive(again);
    const { kept } = played.trace;
    const places = new Map<number, Seen | undefined>();
    for (const [place, { kind }] of again.deeds.entries())
      if (kind === "request") places.set(place, kept[places.size]);
    return {
      played,
      again,
      straight: () => played.once("straight", () => doAgain(again)),
      play: (change) => doAgain(again, change),
      seenAt: (place) => places.get(place),
    };
  });
}

/** How many requests are answered with the status that they had: what else there was isn't among the deeds. */
function reproducedIn({ played, straight, seenAt }: Rerun): { sent: number; reproduced: number } {
  return played.once("reproduced", () => {
    const { answers } = straight();
    let [sent, reproduced] = [0, 0];
    for (const [place, answer] of answers.entries()) {
      if (answer === undefined) continue;
      sent += 1;
      if (answer.status === seenAt(place)?.status) reproduced += 1;
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
  const half = halfOf(again);
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
export function sameAnswers(
  { seenAt }: Rerun,
  expected: Second["answers"],
  actual: Second["answers"],
  where: string,
): void {
  for (const [place, answer] of actual.entries()) {
    const [before, after] = [bytesOf(expected[place]), bytesOf(answer)];
    if (after === undefined || after === before) continue;
    const { method, path } = seenAt(place) ?? { method: "", path: "" };
    require(false, () =>
      `request ${place + 1}, ${method} ${path}, got ${before}, and ${where} ${after}`);
  }
}

function bytesOf(answer: ApiResponse | undefined): string | undefined {
  return answer && JSON.stringify([answer.status, answer.headers, answer.body]);
}

export function sameState(one: SimulatorCore, other: SimulatorCore, what: string): void {
  const same = JSON.stringify(one.snapshot()) === JSON.stringify(other.snapshot());
  require(same, () => `${what}, the two worlds have other states`);
}

const legibleForms = {
  "auth.failure": "401",
  "errors.body": "problem",
  "limit.exceeded": "429",
  "limit.retry-after": "seconds",
  "money.precision": "exact",
} as const;

/** A run of which every refusal says which it is, and every amount all of it. */
interface Legible {
  readonly played: Looked;
  readonly options: SimulatorOptions;
  readonly sim: SimulatorCore;
}

/** What counts and what is refused doesn't depend on how an answer looks. */
export function legibleOf({ played, again, play }: Rerun): Legible {
  return played.once("legible", () => {
    steadyReadingsOf(played);
    if (again.missing !== undefined) inconclusive(again.missing);
    const assumptions = resolveAssumptions({ ...again.options.assumptions, ...legibleForms });
    const options = { ...again.options, assumptions };
    const { answers, sim } = play({ options });
    const responses = answers.filter((answer) => answer !== undefined);
    const { trace } = played;
    const kept = responses.map((response, at) => legibly(trace.kept[at], response));
    const legible = lookedOf({
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

function legibly(seen: Seen | undefined, { status, headers, body }: ApiResponse): Seen {
  if (seen === undefined) return inconclusive("more was done again than was kept");
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
export function legibleLook(look: Look): Look {
  return rerunning((rerun) => look(legibleOf(rerun).played));
}

/** Senders, those together whose keys were used for one another. `key`: also whoever has no valid one. */
export function groupsOf({ played, again, seenAt }: Rerun, by: "publisher" | "key"): Group[] {
  const readings = readingsOf(played);
  const isAnybodys = readings["auth.key-scope"] === "any";
  const { keys } = played.trace;
  const groups = new Map<string, Set<string>>();
  const groupAt = (name: string): Set<string> => {
    const group = groups.get(name) ?? new Set([name]);
    groups.set(name, group);
    return group;
  };
  const senders = again.deeds.map((deed, place): string | undefined => {
    if (deed.kind !== "request") return "publisher" in deed ? deed.publisher : undefined;
    const seen = seenAt(place);
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
    const isTheirs = (deed: Deed, place: number): boolean => {
      const sender = senders[place];
      return deed.kind !== "request" || (sender !== undefined && names.has(sender));
    };
    return { isTheirs };
  });
}

/** Tells their requests, and what was done by hand, from what others sent. */
export interface Group {
  isTheirs(deed: Deed, place: number): boolean;
}
