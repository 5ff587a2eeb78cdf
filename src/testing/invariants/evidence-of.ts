/** What the invariants are judged by, out of a simulator's journal: who took part, and what was sent and answered. */

import { InputError } from "../../base/input.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { Evidence } from "../../play/invariants/evidence.ts";
import { createTrace, type Trace, type TraceReader } from "../../play/invariants/trace.ts";
import type { Exchange, Member } from "../../play/player/effects.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import { type Recorded, type RecordedEntry, requestOf, sentKeyOf } from "./recorded.ts";

/** How many publishers invariants are tried on. */
const MOST_MEMBERS = 20;

/** Of a journal with gaps nothing is told: the laws count from the first request on. `pristine`: a new world like this one. */
export function evidenceOf(
  sim: SimulatorCore,
  recorded: Recorded,
  pristine: SimulatorCore,
): Evidence {
  const members = membersOf(sim, recorded);
  const trace: TraceReader =
    recorded.gap === undefined ? traceOf(sim, recorded, members, pristine) : createTrace();
  return {
    trace,
    abilities: { time: { kind: "virtual" }, control: true },
    members: members.slice(0, MOST_MEMBERS),
    assumptions: sim.assumptions,
  };
}

/** Who sent anything, as they are now; where nobody did, the first. */
function membersOf(sim: SimulatorCore, { entries }: Recorded): readonly Publisher[] {
  const ids = new Set(entries.flatMap(({ publisher }) => publisher ?? []));
  const known = Array.from(ids).flatMap((id) => found(sim, id) ?? []);
  return known.length > 0 ? known : [sim.publishers.at(0)];
}

function found(sim: SimulatorCore, id: string): Publisher | undefined {
  try {
    return sim.publishers.get(id);
  } catch (error) {
    // Under other readings it had another id.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function traceOf(
  sim: SimulatorCore,
  { entries }: Recorded,
  members: readonly Publisher[],
  pristine: SimulatorCore,
): Trace {
  const trace = createTrace();
  const owners = new Map<string, Member>();
  for (const member of members) {
    const shown = withKnownTerms(member, pristine);
    const first = entries.find(({ publisher }) => publisher === member.id);
    owners.set(member.id, shown);
    trace.seeMember({ ...shown, apiKey: (first && sentKeyOf(first)) ?? member.apiKey });
  }
  let assumed = JSON.stringify(entries[0]?.world.assumptions);
  for (const entry of entries) {
    const { world, fault } = entry;
    // What a rule made the service do once more no client saw.
    if (fault?.application === 2) continue;
    if (JSON.stringify(world.assumptions) !== assumed) trace.seeAssumed();
    assumed = JSON.stringify(world.assumptions);
    seeKey(trace, entry, owners);
    if (fault !== undefined) trace.seeRule(ruleBehind(entry));
    trace.observe(exchangeOf(entry));
  }
  const last = entries.at(-1);
  const isOther = last !== undefined && !isInForce(sim, last);
  if (isOther) trace.seeAssumed();
  return trace;
}

/** Whether the readings in force now are those that an answer was given under. */
function isInForce({ assumptions }: SimulatorCore, { world }: RecordedEntry): boolean {
  const then: Readonly<Record<string, string>> = resolveAssumptions(world.assumptions);
  return Object.entries(assumptions).every(([key, choice]) => then[key] === choice);
}

/** Without the surfaces whose price range was changed: nobody tells when. */
function withKnownTerms(member: Publisher, pristine: SimulatorCore): Member {
  const { id, apiKey, joined, ordinal } = member;
  const seeded = ordinal < pristine.publishers.total ? pristine.publishers.at(ordinal) : undefined;
  const isAsEver = ({ id: surface, cpmRange }: Member["surfaces"][number]): boolean => {
    if (seeded === undefined) return true;
    const first = seeded.surfaces.find((one) => one.id === surface);
    return JSON.stringify(first?.cpmRange) === JSON.stringify(cpmRange);
  };
  return { id, apiKey, joined, surfaces: member.surfaces.filter(isAsEver) };
}

/** Tells of a key that is new, or valid no more. */
function seeKey(trace: Trace, entry: RecordedEntry, owners: ReadonlyMap<string, Member>): void {
  const sent = sentKeyOf(entry);
  if (sent === undefined) return;
  if (entry.publisher !== undefined) {
    const owner = owners.get(entry.publisher);
    if (owner !== undefined) trace.seeMember({ ...owner, apiKey: sent });
    return;
  }
  const known = trace.keys.get(sent);
  const owner = known && owners.get(known.publisher);
  const isRotated = known?.until === Number.POSITIVE_INFINITY && owner?.apiKey !== sent;
  if (isRotated && owner !== undefined) trace.seeMember(owner);
}

/** A rule that would have done what was done: the invariants ask no more of it. */
function ruleBehind({ fault, response, producedBy }: RecordedEntry): FaultRule {
  const isWritten =
    fault?.kind === "respond" || (producedBy !== "service" && response.status >= 500);
  if (isWritten) return { match: {}, verdict: { kind: "respond", status: response.status } };
  return fault?.kind === "garbage"
    ? { match: {}, verdict: { kind: "garbage" } }
    : { match: {}, verdict: { kind: "drop" } };
}

/** What the client saw. */
function exchangeOf(entry: RecordedEntry): Exchange {
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
