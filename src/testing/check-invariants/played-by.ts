/** Input for the laws, from a simulator and its journal: the publishers, the exchanges, and how to run them again. */

import { InputError } from "../../base/input.ts";
import type { FaultRule } from "../../faults/rule.ts";
import { verdictTraits } from "../../faults/verdict-traits.ts";
import { readRecording } from "../../journal/read-recording.ts";
import type { ClientExchange, Member } from "../../laws/client-exchange.ts";
import { ensure, inconclusive, type Played } from "../../laws/law.ts";
import type { RerunPlan } from "../../laws/rerun-plan.ts";
import { createTrace, type Trace } from "../../laws/trace.ts";
import { replayInProcess } from "../../play/replay/replay-in-process.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { Publisher } from "../../world/accounts/account.ts";
import { fakerHost } from "../../world/publishers/people.ts";
import {
  type JournalHistory,
  journalHistoryOf,
  type RecordedEntry,
  requestOf,
  sentKeyOf,
} from "./journal-history.ts";

/** The laws are checked on this many publishers. */
const MAX_MEMBERS = 3;
/** The size of every other sample. */
const SAMPLE_SIZE = 4;
const MAX_JOURNAL = 10_000;
/** Only the first requests are run again. */
const MAX_REPLAYED = 2000;

/** `create` makes worlds for the laws that need more than one. */
export function playedBy(
  sim: SimulatorCore,
  create: (options: SimulatorOptions) => SimulatorCore,
): Played {
  const recorded = journalHistoryOf(sim);
  const { gap, options } = recorded;
  const pristine = create({ ...options, clock: "frozen" });
  const members = membersOf(sim, recorded);
  const known = members.map((member) => withKnownTerms(member, pristine));
  const isChanged = members.some(({ surfaces }, at) => {
    return surfaces.length > (known[at]?.surfaces.length ?? 0);
  });
  const changed = changedByHand(recorded) ?? (isChanged ? "a price range was changed" : undefined);
  return {
    trace: gap === undefined ? traceOf(sim, recorded, known) : createTrace(),
    gap,
    isExactTime: true,
    members: members.slice(0, MAX_MEMBERS),
    readings: sim.assumptions,
    world: sim,
    rerunPlan: gap ?? againOf(recorded, create, changed),
    journal: () => sim.journal.entries({ limit: MAX_JOURNAL }),
    sampleSize: SAMPLE_SIZE,
  };
}

/** Sends the requests again. The journal doesn't have what was changed by hand. */
function againOf(
  recorded: JournalHistory,
  create: RerunPlan["create"],
  changed: string | undefined,
): RerunPlan {
  const actions = recorded.entries
    .filter(isSent)
    .slice(0, MAX_REPLAYED)
    .map((entry) => {
      return { kind: "request", atMs: Date.parse(entry.at), request: requestOf(entry) } as const;
    });
  return {
    options: recorded.options,
    create,
    missing: changed && `${changed}, and the journal doesn't tell when`,
    actions,
    untilMs: actions.at(-1)?.atMs ?? 0,
    replay: () => journalReplayed(recorded),
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
  const trace = createTrace();
  const owners = new Map(members.map((member) => [member.id, member]));
  for (const member of members) {
    const first = entries.find(({ publisher }) => publisher === member.id);
    trace.recordMember({ ...member, apiKey: (first && sentKeyOf(first)) ?? member.apiKey });
  }
  let assumed = JSON.stringify(entries[0]?.world.assumptions);
  for (const entry of entries.filter(isSent)) {
    const { world, fault } = entry;
    if (JSON.stringify(world.assumptions) !== assumed) trace.recordAssume();
    assumed = JSON.stringify(world.assumptions);
    seeKey(trace, entry, owners);
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

/** Records a key that is new, or no longer valid. */
function seeKey(trace: Trace, entry: RecordedEntry, owners: ReadonlyMap<string, Member>): void {
  const sent = sentKeyOf(entry);
  if (sent === undefined) return;
  if (entry.publisher !== undefined) {
    const owner = owners.get(entry.publisher);
    if (owner !== undefined) trace.recordMember({ ...owner, apiKey: sent });
    return;
  }
  const known = trace.keys.get(sent);
  const owner = known && owners.get(known.publisher);
  const isRotated = known?.until === Number.POSITIVE_INFINITY && owner?.apiKey !== sent;
  if (isRotated && owner !== undefined) trace.recordMember(owner);
}

/** A rule that explains the fault. The invariants need no more than that. */
function ruleBehind({ fault, response, producedBy }: RecordedEntry): FaultRule {
  const isWritten =
    fault?.kind === "respond" || (producedBy !== "service" && response.status >= 500);
  if (isWritten) return { match: {}, verdict: { kind: "respond", status: response.status } };
  return fault && verdictTraits[fault.kind].replacesBody
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

/** Law R5: replaying the journal must give the answers that are in it. */
function journalReplayed(recorded: JournalHistory): string {
  const { replayed, notes } = replayInProcess(readRecording(recorded.lines), {
    host: fakerHost,
    chosen: { assumptions: {} },
    time: "recorded",
  });
  const different = replayed.filter(({ outcome }) => outcome.kind === "different");
  const [first] = different;
  if (first === undefined || first.outcome.kind !== "different")
    return `${replayed.length} requests replayed from the journal`;
  const changed = changedByHand(recorded) ?? notes[0];
  if (changed !== undefined)
    return inconclusive(
      `${different.length} answers differ when replayed, perhaps because ${changed}`,
    );
  const { place } = first.exchange;
  const difference = JSON.stringify(first.outcome.difference);
  ensure(
    false,
    () =>
      `${different.length} of ${replayed.length} answers differ when replayed, the first at ${place}: ${difference}`,
  );
}

/** A change made by hand, which the journal doesn't have; undefined if there is none. */
function changedByHand({ snapshot: { accounts, publishers } }: JournalHistory): string | undefined {
  if (accounts.some(({ ordinal }) => ordinal >= publishers)) return "a publisher signed up";
  if (accounts.some(({ keySerial }) => keySerial > 0)) return "a key was rotated";
  const isSet = accounts.some(({ surfaces }) =>
    surfaces.some(({ statusBy }) => statusBy === "user"),
  );
  return isSet ? "a surface was changed" : undefined;
}
