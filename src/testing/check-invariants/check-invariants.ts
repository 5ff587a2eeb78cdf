/** Checks a simulator in this process against the invariants, without changing it: its journal is played into a trace. */

import { InputError } from "../../base/input.ts";
import { bodyReplaced } from "../../faults/verdict.ts";
import { type Member, Trace } from "../../invariants/client-exchange.ts";
import type { Invariant } from "../../invariants/invariant.ts";
import {
  invariants as all,
  type InvariantResult,
  judgeInvariants,
} from "../../invariants/invariants.ts";
import { WorldJournal } from "../../journal/journal.ts";
import type { ExchangeItem } from "../../journal/log.ts";
import { shownEntry } from "../../journal/shown-entry.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { isEventKind } from "../../spec/operations.ts";
import { checkKnown, checkNames } from "../options.ts";

export interface CheckInvariantsOptions {
  /** The ids to check, such as `["M1", "D2"]`. @default all */
  readonly ids?: readonly string[] | undefined;
}

/** In this order: money, stats, recording, limits, isolation, shape. */
export const invariants: readonly Pick<Invariant, "id" | "says">[] = all.map(({ id, says }) =>
  Object.freeze({ id, says }),
);

/**
 * Checks a simulator against the invariants: the requests and answers in its journal, and the answers of a fork of it. The
 * simulator itself is only read.
 *
 * `passed`: `why` says what was checked. `failed`: `why` says what was expected and what was found. `undecided`: it
 * couldn't be checked, and `why` says what that would take, for example a journal that still has every request.
 *
 * Prices are checked for the first 1000 publishers, and only if no surface was changed by hand.
 *
 * @throws InputError for an unknown id.
 */
export function checkInvariants(
  sim: SimulatorCore,
  options: CheckInvariantsOptions = {},
): readonly InvariantResult[] {
  checkNames(options, ["ids"]);
  const { ids } = options;
  if (ids !== undefined)
    checkKnown(
      "ids",
      ids,
      invariants.map(({ id }) => id),
    );
  const { journal } = sim;
  if (!(journal instanceof WorldJournal))
    throw new InputError("sim", "must be a simulator of this package");
  const members = membersOf(sim, journal);
  const gap = gapIn(sim, journal);
  const played = {
    ...{ gap, world: sim, assumptions: sim.assumptions, isExactTime: true },
    trace: gap === undefined ? traceOf(journal, members) : new Trace(),
    // Three are enough to try the invariants on.
    members: members.slice(0, 3),
  };
  return [...judgeInvariants(played, ids)];
}

/** Why other requests or changes led to the state too; undefined if none did. */
function gapIn(sim: SimulatorCore, journal: WorldJournal): string | undefined {
  const { total, kept } = journal;
  if (kept < total) {
    return `the journal has forgotten ${total - kept} of ${total} requests: give the simulator more journalEntries, and don't clear its journal`;
  }
  const { attempts, copies } = sim.audit().total;
  const events = journal
    .exchanges()
    .filter(({ record: { operation } }) => isEventKind(operation)).length;
  const isReplaced = journal.changes().some(({ change }) => change.kind === "replace");
  if (!isReplaced && attempts + copies === events) return undefined;
  return "the journal doesn't explain the state: the world is a fork, or a snapshot was restored";
}

/** The publishers that sent something; the first publisher if none did. */
function membersOf({ publishers }: SimulatorCore, journal: WorldJournal): readonly Member[] {
  const ids = new Set(journal.exchanges().map(({ record }) => record.publisher));
  const senders = publishers.list({ limit: 1000 }).filter(({ id }) => ids.has(id));
  const members = senders.length > 0 ? senders : [publishers.at(0)];
  // Earlier answers may have had another price.
  const isRepriced = journal.changes().some(({ change }) => change.kind === "set-surface");
  return members.map((one) => ({ ...one, surfaces: isRepriced ? [] : one.surfaces }));
}

function traceOf(journal: WorldJournal, members: readonly Member[]): Trace {
  const trace = new Trace();
  for (const member of members) trace.recordMember(member);
  for (const item of journal.items()) {
    if (item.kind === "exchange") observe(trace, item);
    else if (item.change.kind === "assume") trace.recordAssume();
  }
  return trace;
}

/** The exchange as the client saw it. */
function observe(trace: Trace, { record, sequence }: ExchangeItem): void {
  const { operation, nowMs: atMs, producedBy } = record;
  const { fault, response } = shownEntry(record, sequence, "shown");
  const { status, headers, body: text } = response;
  // The second run of a request that a fault rule duplicated. The client sent it once.
  if (fault?.application === 2) return;
  if (fault !== undefined) {
    // A rule that explains the fault. The invariants need no more than that.
    const isWritten = fault.kind === "respond" || (producedBy !== "service" && status >= 500);
    const kind = bodyReplaced.includes(fault.kind) ? "garbage" : "drop";
    trace.recordRule({ match: {}, verdict: isWritten ? { kind: "respond", status } : { kind } });
  }
  const isCut = fault?.received === "part" && status !== 0;
  trace.observe({
    ...{ operation, atMs, request: record, status, headers, text },
    outcome: isCut ? "cut" : status === 0 ? "lost" : "answered",
    latencyMs: fault?.delayMs ?? 0,
  });
}
