/**
 * A copy of the played world in which laws are tried. It starts from the same state, with a frozen clock, without fault
 * rules, and with comparable answers. Nothing done in it shows in the played world.
 */

import type { Audit } from "../audit/audit.ts";
import { LAST_INSTANT_MS } from "../base/calendar.ts";
import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { buildRequest } from "../spec/build-request.ts";
import { type OperationId, operations } from "../spec/operations.ts";
import { type ClientExchange, exchangeOf, type Member, type Outgoing } from "./client-exchange.ts";
import { inconclusive, type LawContext, type PlayedWorld, readingsOf } from "./law.ts";
import { creditOf, dayAt } from "./read-trace.ts";
import { answerOf } from "./rerun-plan.ts";

export interface WorldCopy {
  readonly sim: SimulatorCore;
  /** The choices of the played world. The copy differs only in `comparableReadings`. */
  readonly readings: Assumptions;
  /** Publishers that sign up in the copy on first use, so the run didn't touch their quotas. */
  readonly probes: readonly [Member, Member];
  /** Publishers of the run to read. */
  readonly members: readonly Member[];
  /** Keys that were replaced in the copy, by publisher, and how many requests each has sent. */
  readonly keys: Map<string, { readonly apiKey: string; requestCount: number }>;
  /** A cache of what was read since anything last changed, because several laws read the same. */
  readonly answers: Map<string, ClientExchange>;
}

/** Makes sums exact, refusals distinguishable and events visible at once. None of these choices changes what counts. */
const comparableReadings = {
  "money.precision": "exact",
  "stats.today": "live",
  "request.encoding": "any",
  "errors.body": "problem",
  "limit.exceeded": "429",
} as const satisfies Readings;

const TIMEOUT_MS = 10_000;

/** The copy that most laws share. */
export function copyOf(played: LawContext): WorldCopy {
  return played.memoize("copy", () => {
    const forked = forkOf(played);
    if (typeof forked === "string") return inconclusive(forked);
    return prepareCopy(forked, readingsOf(played), played.members);
  });
}

/** Prepares a world that belongs to the laws. */
export function prepareCopy(
  sim: SimulatorCore,
  readings: Assumptions,
  members: readonly Member[],
): WorldCopy {
  sim.clock.set({ mode: "frozen" });
  sim.faults.clear();
  sim.assume(comparableReadings);
  let probes: readonly [Member, Member] | undefined;
  return {
    sim,
    readings,
    members,
    keys: new Map(),
    answers: new Map(),
    get probes(): readonly [Member, Member] {
      probes ??= [signUpIn(sim, "Probe one"), signUpIn(sim, "Probe two")];
      return probes;
    },
  };
}

/** A copy for one law alone, which may let years pass in it. */
export function ownCopyOf(played: LawContext): WorldCopy {
  const { readings } = copyOf(played);
  return prepareCopy(worldOf(played).fork(), readings, []);
}

/** A fork, or why there is none: an inconsistent state can't be loaded. */
export function forkOf(played: LawContext): SimulatorCore | string {
  return played.memoize("fork", () => {
    stateBeforeLaws(played);
    try {
      return worldOf(played).fork();
    } catch (error) {
      if (error instanceof InputError) return `the world can't be copied: ${error.message}`;
      throw error;
    }
  });
}

interface StateBeforeLaws {
  readonly audit: Audit;
  readonly nowMs: number;
}

/** The played world's audit and time before the laws tried anything. */
export function stateBeforeLaws(played: LawContext): StateBeforeLaws {
  return played.memoize("before", () => {
    const { audit, clock } = worldOf(played);
    return { audit: audit(), nowMs: clock.now() };
  });
}

/** The played world itself, to read only. */
export function worldOf({ world }: LawContext): PlayedWorld {
  return typeof world === "string" ? inconclusive(world) : world;
}

/** The whole audit as text, without its time. */
export function auditText({ at: _, ...audit }: StateBeforeLaws["audit"]): string {
  return JSON.stringify(audit);
}

/** A snapshot of more takes too long. */
const MAX_IMPRESSIONS = 20_000;
/** In a copy, an audit computes the whole history of each publisher again. */
const MAX_PUBLISHERS = 100;

/** The state as text, without the tallies of requests. Of a large world only its audit, of a very large one its size. */
export function stateOf(sim: SimulatorCore, withQuotas: "with-quotas" | "without-quotas"): string {
  const usage = sim.usage();
  if (usage.publishersTouched > MAX_PUBLISHERS) return JSON.stringify(usage);
  const audit = auditText(sim.audit());
  if (usage.impressions > MAX_IMPRESSIONS) return audit;
  const state = JSON.stringify(sim.snapshot(), (name, value) =>
    countedMembers.has(name) || (withQuotas === "without-quotas" && name.endsWith("Bucket"))
      ? undefined
      : value,
  );
  return `${state} ${audit}`;
}

const countedMembers: ReadonlySet<string> = new Set(["tally", "strangers", "digest"]);

/** Publishers of the run to read, at least one. */
export function membersOf({ members }: WorldCopy): readonly Member[] {
  return members.length > 0 ? members : inconclusive("no publisher took part");
}

export function signUpIn(sim: SimulatorCore, name: string): Member {
  return sim.publishers.signUp({ name, surfaces: ["First", "Second"] });
}

export type Values = Readonly<Record<string, string>>;

/** Parameters go into a JSON body, or into the query of a GET. `publisher_id` is the member's by default. */
export function outgoingOf(
  member: Pick<Member, "id" | "apiKey">,
  operation: OperationId,
  values: Values = {},
): Outgoing {
  const named = operation === "click" ? values : { publisher_id: member.id, ...values };
  const request = buildRequest(operation, named, { key: member.apiKey });
  return { operation, request, timeoutMs: TIMEOUT_MS };
}

/** Sends one request with the publisher's current key in the copy. Any outcome is fine. */
export function ask(
  { sim, keys, answers }: WorldCopy,
  member: Pick<Member, "id" | "apiKey">,
  operation: OperationId,
  values: Values = {},
): ClientExchange {
  const key = keys.get(member.id);
  if (key !== undefined) key.requestCount += 1;
  if (operations[operation].method !== "GET") answers.clear();
  const { apiKey } = key ?? member;
  return sendIn(sim, outgoingOf({ id: member.id, apiKey }, operation, values));
}

export function sendIn(sim: SimulatorCore, outgoing: Outgoing): ClientExchange {
  const atMs = sim.clock.now();
  return exchangeOf(outgoing, answerOf(sim, outgoing.request), atMs);
}

export function waitIn({ sim, answers }: WorldCopy, ms: number): void {
  answers.clear();
  if (sim.clock.now() + ms > LAST_INSTANT_MS) inconclusive("the world's clock is at its maximum");
  sim.clock.advance(ms);
}

export function todayIn({ sim, readings }: WorldCopy): string {
  return dayAt(sim.clock.now(), readings);
}

/** Gives a publisher a new, unused key, and returns it. */
export function freshKey({ sim, keys }: WorldCopy, { id }: Pick<Member, "id">): string {
  const { apiKey } = sim.publishers.rotateKey(id);
  keys.set(id, { apiKey, requestCount: 0 });
  return apiKey;
}

/** The outcome of an impression in a copy: its id, or "repeat". */
export function outcomeOf(answer: ClientExchange): string {
  if (answer.status === 409) return "repeat";
  return (
    creditOf(answer, "impression")?.id ??
    inconclusive(`an impression was answered with ${answer.status || answer.outcome}`)
  );
}

/** The parameters of an impression on one of the member's surfaces, without a session. */
export function viewOf({ surfaces }: Member, ad_id: string, place = 0): Values {
  return { surface: surfaces[place]?.id ?? "none", ad_id };
}

/** The same on the first surface, with a session. */
export function impressionOf(member: Member, session_id: string): Values {
  return { ...viewOf(member, "probe"), session_id };
}
