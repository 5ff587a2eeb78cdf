/**
 * A copy of the played world in which invariants are tried. It starts from the same state, with a frozen clock, without
 * fault rules, and with comparable answers. Nothing done in it shows in the played world.
 */

import { LAST_INSTANT_MS } from "../base/calendar.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { Choices } from "../simulator/simulator-options.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { buildRequest } from "../spec/build-request.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { type OperationId, operations } from "../spec/operations.ts";
import { type ClientExchange, exchangeOf, type Member, type Outgoing } from "./client-exchange.ts";
import { Broken, inconclusive } from "./ensure.ts";
import { creditOf, dayAt } from "./read-trace.ts";
import { createTrace, type TraceReader } from "./trace.ts";

/** Publishers of the run to read, and what its client saw. */
interface CopiedRun {
  readonly members: readonly Member[];
  readonly trace: TraceReader;
}

export interface WorldCopy extends CopiedRun {
  readonly sim: SimulatorCore;
  /** The choices of the played world. The copy differs only in `comparableChoices`. */
  readonly assumptions: Assumptions;
  /** Publishers that sign up in the copy on first use, so the run didn't touch their quotas. */
  readonly probes: readonly [Member, Member];
  /** Keys that were replaced in the copy, by publisher, and how many requests each has sent. */
  readonly keys: Map<string, { readonly apiKey: string; requestCount: number }>;
  /** A cache of what was read since anything last changed, because several invariants read the same. */
  readonly answers: Map<string, ClientExchange>;
}

/** Makes sums exact, refusals distinguishable and events visible at once. None of these choices changes what counts. */
const comparableChoices = {
  "money.precision": "exact",
  "stats.today": "live",
  "request.encoding": "any",
  "errors.body": "problem",
  "limit.exceeded": "429",
} as const satisfies Choices;

const TIMEOUT_MS = 10_000;

/** Prepares a world that belongs to the invariants. */
export function prepareCopy(
  sim: SimulatorCore,
  assumptions: Assumptions,
  { members, trace }: CopiedRun = { members: [], trace: createTrace() },
): WorldCopy {
  sim.clock.set({ mode: "frozen" });
  sim.faults.clear();
  sim.assume(comparableChoices);
  let probes: readonly [Member, Member] | undefined;
  return {
    sim,
    assumptions,
    members,
    trace,
    keys: new Map(),
    answers: new Map(),
    get probes(): readonly [Member, Member] {
      probes ??= [signUpIn(sim, "Probe one"), signUpIn(sim, "Probe two")];
      return probes;
    },
  };
}

function signUpIn(sim: SimulatorCore, name: string): Member {
  return sim.publishers.signUp({ name, surfaces: ["First", "Second"] });
}

/** A copy for one invariant alone, which may let years pass in it. */
export function ownCopyOf({ sim, assumptions }: WorldCopy): WorldCopy {
  return prepareCopy(sim.fork(), assumptions);
}

/** Publishers of the run to read, at least one. */
export function membersOf({ members }: WorldCopy): readonly Member[] {
  return members.length > 0 ? members : inconclusive("no publisher took part");
}

export type Values = Readonly<Record<string, string>>;

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
  const named = operation === "click" ? values : { publisher_id: member.id, ...values };
  const request = buildRequest(operation, named, { key: (key ?? member).apiKey });
  const outgoing = { operation, request, timeoutMs: TIMEOUT_MS };
  return exchangeOf(outgoing, answerOf(sim, outgoing), sim.clock.now());
}

/** A request that makes the service throw breaks the invariant that sent it. */
function answerOf(sim: SimulatorCore, { request }: Outgoing): ApiResponse {
  try {
    return sim.handle(request);
  } catch (thrown) {
    const { method, path } = request;
    throw new Broken(`${method} ${path} made the service throw ${String(thrown)}`);
  }
}

export function waitIn({ sim, answers }: WorldCopy, ms: number): void {
  answers.clear();
  if (sim.clock.now() + ms > LAST_INSTANT_MS) inconclusive("the world's clock is at its maximum");
  sim.clock.advance(ms);
}

export function todayIn({ sim, assumptions }: WorldCopy): string {
  return dayAt(sim.clock.now(), assumptions);
}

/** Gives a publisher a new, unused key. */
export function renewKey({ sim, keys }: WorldCopy, { id }: Pick<Member, "id">): void {
  keys.set(id, { apiKey: sim.publishers.rotateKey(id).apiKey, requestCount: 0 });
}

/** Status, headers and body. */
export function bytesOf({ outcome, status, headers, text }: ClientExchange): string {
  if (outcome !== "answered")
    return inconclusive(`a request to a copy of the world was ${outcome}`);
  const sorted = Object.entries(headers).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `${status} ${JSON.stringify(sorted)} ${text}`;
}

/** The outcome of an impression in a copy: its id, or "repeat". */
export function outcomeOf(answer: ClientExchange): string {
  if (answer.status === 409) return "repeat";
  return (
    creditOf(answer, "impression")?.id ??
    inconclusive(`an impression was answered with ${answer.status || answer.outcome}`)
  );
}

/** The parameters of an impression on the member's first surface. */
export function impressionOf({ surfaces }: Member, session_id: string): Values {
  return { surface: surfaces[0]?.id ?? "none", ad_id: "probe", session_id };
}
