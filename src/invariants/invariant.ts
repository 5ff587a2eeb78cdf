/**
 * What an invariant is, and the copy of the played world in which some are tried. The copy starts from the same state, with a
 * frozen clock, without fault rules, and with comparable answers. Nothing done in it shows in the played world.
 */

import { LAST_INSTANT_MS } from "../base/calendar.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { Choices } from "../simulator/simulator-options.ts";
import { buildRequest } from "../spec/build-request.ts";
import type { OperationId } from "../spec/operations.ts";
import { creditOf, dayAt, read, type Stats, statsBody } from "./answers.ts";
import {
  type ClientExchange,
  exchangeOf,
  type Member,
  type Played,
  Trace,
} from "./client-exchange.ts";
import { inconclusive } from "./ensure.ts";

/** Its functions return what they looked at, and throw as `ensure` and `inconclusive` do. */
export interface Invariant {
  readonly id: string;
  readonly says: string;
  /** Looks at answers: those of the run, also of other services, and those of a copy of the world. */
  readonly seen?: (played: Played) => string;
  /** Tries it in a copy of the world as it is now. The invariants share the copy, in the order of their list. */
  readonly tried?: (copy: WorldCopy) => string;
}

export interface WorldCopy extends Pick<Played, "members" | "trace"> {
  readonly sim: SimulatorCore;
  /** What was asked in the copy so far. */
  readonly asked: Played;
  /** Publishers that signed up in the copy, so the run didn't touch their quotas. */
  readonly probes: readonly [Member, Member];
}

/** Makes sums exact, refusals distinguishable and events visible at once. None of these choices changes what counts. */
const comparableChoices = {
  "money.precision": "exact",
  "stats.today": "live",
  "request.encoding": "any",
  "errors.body": "problem",
  "limit.exceeded": "429",
} as const satisfies Choices;

/** @throws Inconclusive if there is no world. */
export function copyOf(played: Pick<Played, "world" | "members" | "trace">): WorldCopy {
  const { world, members, trace } = played;
  const sim = typeof world === "string" ? inconclusive(world) : world.fork();
  sim.clock.set({ mode: "frozen" });
  sim.faults.clear();
  const assumptions = sim.assume(comparableChoices);
  const asked = { trace: new Trace(), isExactTime: true, members, assumptions, world: "a copy" };
  const signUp = (name: string): Member =>
    sim.publishers.signUp({ name, surfaces: ["First", "Second"] });
  const probes = [signUp("Probe one"), signUp("Probe two")] as const;
  for (const probe of probes) asked.trace.recordMember(probe);
  const copy = { sim, members, trace, asked, probes };
  askAll(copy);
  return copy;
}

/** Asks what the invariants about answers look at. */
function askAll(copy: WorldCopy): void {
  const today = todayIn(copy);
  for (const member of copy.members) {
    const lifetime = { from: member.joined ?? today, to: today };
    const ofSurfaces = member.surfaces.map(({ id: surface }) => ({ ...lifetime, surface }));
    const queries = [lifetime, {}, { from: today }, ...ofSurfaces];
    for (const query of queries) askAfresh(copy, member, "stats", query);
    for (const operation of ["surfaces", "payouts"] as const) ask(copy, member, operation);
  }
  for (const probe of copy.probes)
    ask(copy, probe, "click", { impression_id: recordIn(copy, probe, "any") });
}

type Values = Readonly<Record<string, string>>;

/** Sends one request with the publisher's current key in the copy. Any outcome is fine. */
export function ask(
  { sim, asked }: WorldCopy,
  { id }: Pick<Member, "id">,
  operation: OperationId,
  values: Values = {},
): ClientExchange {
  const named = operation === "click" ? values : { publisher_id: id, ...values };
  const request = buildRequest(operation, named, { key: sim.publishers.get(id).apiKey });
  const outgoing = { operation, request, timeoutMs: 10_000 };
  const exchange = exchangeOf(outgoing, sim.handle(request), sim.clock.now());
  asked.trace.observe(exchange);
  return exchange;
}

/** Asks for a report with a new key, which has its whole quota. */
export function askAfresh(...asking: Parameters<typeof ask>): ClientExchange {
  const [{ sim }, { id }] = asking;
  sim.publishers.rotateKey(id);
  return ask(...asking);
}

/** By default for all days since the publisher joined. Inconclusive if the answer isn't a success. */
export function readStats(
  copy: WorldCopy,
  member: Member,
  period: Values = { from: member.joined ?? "", to: todayIn(copy) },
): Stats {
  const { status, outcome, text } = askAfresh(copy, member, "stats", period);
  if (status !== 200) inconclusive(`stats were answered ${status || outcome}`);
  return read(statsBody, text);
}

export function waitIn({ sim }: WorldCopy, ms: number): void {
  if (sim.clock.now() + ms > LAST_INSTANT_MS) inconclusive("the world's clock is at its maximum");
  sim.clock.advance(ms);
}

export function todayIn({ sim }: WorldCopy): string {
  return dayAt(sim.clock.now(), sim.assumptions);
}

/** Records an impression on the publisher's first surface. Returns its id, or "repeat". */
export function recordIn(copy: WorldCopy, member: Member, session_id: string): string {
  const surface = member.surfaces[0]?.id ?? "none";
  const answer = ask(copy, member, "impression", { surface, ad_id: "probe", session_id });
  if (answer.status === 409) return "repeat";
  return creditOf(answer, "impression")?.id ?? inconclusive("an impression wasn't recorded");
}
