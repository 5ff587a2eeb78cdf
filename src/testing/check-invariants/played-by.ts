/** Input for the invariants, from a simulator and its journal: the publishers and the exchanges. */

import { InputError } from "../../base/input.ts";
import type { FaultRule } from "../../faults/rule.ts";
import { bodyReplaced } from "../../faults/verdict.ts";
import type { ClientExchange, Member } from "../../invariants/client-exchange.ts";

import { type Played, Trace } from "../../invariants/trace.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { createSimulatorCore } from "../../simulator/core.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import {
  type JournalHistory,
  journalHistoryOf,
  type RecordedEntry,
  requestOf,
} from "./journal-history.ts";

/** The invariants are tried on this many publishers. */
const MAX_MEMBERS = 3;

export function playedBy(sim: SimulatorCore): Played {
  const recorded = journalHistoryOf(sim);
  const { gap, options } = recorded;
  const pristine = createSimulatorCore({ ...options, clock: "frozen" }, fakerHost);
  const members = membersOf(sim, recorded);
  const known = members.map((member) => withKnownTerms(member, pristine));
  return {
    trace: gap === undefined ? traceOf(sim, recorded, known) : new Trace(),
    gap,
    isExactTime: true,
    members: members.slice(0, MAX_MEMBERS),
    assumptions: sim.assumptions,
    world: sim,
  };
}

/** False for the second run of a request that a fault rule duplicated: the client sent it once. */
function isSent({ fault }: RecordedEntry): boolean {
  return fault?.application !== 2;
}

/** The publishers that sent something, as they are now; the first publisher if none did. */
function membersOf(sim: SimulatorCore, { entries }: JournalHistory): readonly Publisher[] {
  const ids = new Set(entries.flatMap(({ publisher }) => publisher ?? []));
  const known = Array.from(ids).flatMap((id) => findPublisher(sim, id) ?? []);
  return known.length > 0 ? known : [sim.publishers.at(0)];
}

function findPublisher(sim: SimulatorCore, id: string): Publisher | undefined {
  try {
    return sim.publishers.get(id);
  } catch (error) {
    // Under other assumptions it had another id.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function traceOf(
  sim: SimulatorCore,
  { entries }: JournalHistory,
  members: readonly Member[],
): Trace {
  const trace = new Trace();
  for (const member of members) trace.recordMember(member);
  let assumed = JSON.stringify(entries[0]?.world.assumptions);
  for (const entry of entries.filter(isSent)) {
    const { world, fault } = entry;
    if (JSON.stringify(world.assumptions) !== assumed) trace.recordAssume();
    assumed = JSON.stringify(world.assumptions);
    if (fault !== undefined) trace.recordRule(ruleBehind(entry));
    trace.observe(exchangeOf(entry));
  }
  const last = entries.at(-1);
  if (last !== undefined && !isInForce(sim, last)) trace.recordAssume();
  return trace;
}

/** Whether the answer was given under the choices that apply now. */
function isInForce({ assumptions }: SimulatorCore, { world }: RecordedEntry): boolean {
  const then: Readonly<Record<string, string>> = resolveAssumptions(world.assumptions);
  return Object.entries(assumptions).every(([key, choice]) => then[key] === choice);
}

/** Leaves out the surfaces whose price range was changed, because the time of the change is unknown. */
function withKnownTerms(member: Publisher, pristine: SimulatorCore): Member {
  const { id, apiKey, joined, ordinal } = member;
  const seeded = ordinal < pristine.publishers.total ? pristine.publishers.at(ordinal) : undefined;
  const isUnchanged = ({ id: surface, cpmRange }: Member["surfaces"][number]): boolean => {
    if (seeded === undefined) return true;
    const first = seeded.surfaces.find((one) => one.id === surface);
    return JSON.stringify(first?.cpmRange) === JSON.stringify(cpmRange);
  };
  return { id, apiKey, joined, surfaces: member.surfaces.filter(isUnchanged) };
}

/** A rule that explains the fault. The invariants need no more than that. */
function ruleBehind({ fault, response, producedBy }: RecordedEntry): FaultRule {
  const isWritten =
    fault?.kind === "respond" || (producedBy !== "service" && response.status >= 500);
  if (isWritten) return { match: {}, verdict: { kind: "respond", status: response.status } };
  return fault && bodyReplaced.includes(fault.kind)
    ? { match: {}, verdict: { kind: "garbage" } }
    : { match: {}, verdict: { kind: "drop" } };
}

/** The exchange as the client saw it. */
function exchangeOf(entry: RecordedEntry): ClientExchange {
  const { at, operation, response, fault } = entry;
  const { status, headers, body: text } = response;
  const isCut = fault?.received === "part" && status !== 0;
  const whole = status === 0 ? "lost" : "answered";
  return {
    operation,
    atMs: Date.parse(at),
    request: requestOf(entry),
    outcome: isCut ? "cut" : whole,
    status,
    headers,
    text,
    latencyMs: fault?.delayMs ?? 0,
  };
}
