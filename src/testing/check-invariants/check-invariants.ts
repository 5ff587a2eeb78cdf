/** Checks a simulator in this process against the invariants, without changing it: its journal is played into a trace. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { fromBase64 } from "../../base/text.ts";
import { bodyReplaced } from "../../faults/verdict.ts";
import type { ClientExchange, Member } from "../../invariants/client-exchange.ts";
import type { Invariant } from "../../invariants/invariant.ts";
import {
  invariants as all,
  type InvariantResult,
  judgeInvariants,
} from "../../invariants/invariants.ts";
import { Trace } from "../../invariants/trace.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { isEventKind } from "../../spec/operations.ts";
import type { Publisher } from "../../world/accounts/account.ts";

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
 * The journal doesn't have what was changed by hand. The prices of a surface aren't checked if its price range was changed;
 * a range that was changed back counts as never changed.
 *
 * @throws InputError for an unknown id.
 */
export function checkInvariants(
  sim: SimulatorCore,
  { ids }: CheckInvariantsOptions = {},
): readonly InvariantResult[] {
  const known = all.map(({ id }) => id);
  for (const [place, id] of (ids ?? []).entries()) {
    if (known.includes(id)) continue;
    const list = `is not the id of an invariant: they are ${known.join(", ")}.`;
    throw new InputError(`ids.${place}`, `${list}${didYouMean(id, known)}`, "not-found");
  }
  const lines = sim.journal.toNdjson({ secrets: "shown" }).split("\n").filter(Boolean);
  // The journal wrote these lines. They have API keys, which must not get into the text of a result.
  const entries = lines.map((line) => JSON.parse(line) as RecordedEntry);
  const members = membersOf(sim, entries);
  const gap = gapIn(sim, entries);
  const played = {
    ...{ gap, world: sim, assumptions: sim.assumptions, isExactTime: true },
    trace: gap === undefined ? traceOf(sim, entries, members) : new Trace(),
    // Three are enough to try the invariants on.
    members: members.slice(0, 3),
  };
  return [...judgeInvariants(played, ids)];
}

/** A journal entry with the world that answered. */
type RecordedEntry = JournalEntry & {
  readonly world: { readonly seed: string; readonly assumptions: Assumptions };
};

/** Why other requests or changes led to the state too; undefined if none did. */
function gapIn(sim: SimulatorCore, entries: readonly RecordedEntry[]): string | undefined {
  const { total, kept } = sim.journal;
  if (kept < total) {
    return `the journal has forgotten ${total - kept} of ${total} requests: give the simulator more journalEntries, and don't clear its journal`;
  }
  const isFromElsewhere = entries.some(
    ({ at, world }, place) => world.seed !== sim.seed || at < (entries[place - 1]?.at ?? ""),
  );
  const { attempts, copies } = sim.audit().total;
  const events = entries.filter(({ operation }) => isEventKind(operation)).length;
  if (!isFromElsewhere && attempts + copies === events) return undefined;
  return "the journal doesn't explain the state: the world is a fork, or a snapshot was restored";
}

/**
 * The publishers that sent something, as they are now; the first publisher if none did. Without the surfaces whose price
 * range was changed, because the time of the change is unknown.
 */
function membersOf(sim: SimulatorCore, entries: readonly RecordedEntry[]): readonly Member[] {
  const fresh = sim.fresh().publishers;
  const ids = new Set(entries.flatMap(({ publisher }) => publisher ?? []));
  const senders = Array.from(ids).flatMap((id) => publisherOf(sim, id) ?? []);
  return (senders.length > 0 ? senders : [sim.publishers.at(0)]).map((publisher) => {
    const { id, apiKey, joined, ordinal, surfaces } = publisher;
    const seeded = ordinal < fresh.total ? fresh.at(ordinal).surfaces : surfaces;
    const first = new Map(seeded.map((one) => [one.id, String(one.cpmRange)]));
    const unchanged = surfaces.filter((one) => first.get(one.id) === String(one.cpmRange));
    return { id, apiKey, joined, surfaces: unchanged };
  });
}

function publisherOf(sim: SimulatorCore, id: string): Publisher | undefined {
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
  entries: readonly RecordedEntry[],
  members: readonly Member[],
): Trace {
  const trace = new Trace();
  for (const member of members) trace.recordMember(member);
  let before: string | undefined;
  const assume = (assumptions: Assumptions): void => {
    const choices = JSON.stringify(resolveAssumptions(assumptions));
    if (before !== undefined && choices !== before) trace.recordAssume();
    before = choices;
  };
  for (const entry of entries) {
    const { fault, world, producedBy, response } = entry;
    const { status } = response;
    // The second run of a request that a fault rule duplicated. The client sent it once.
    if (fault?.application === 2) continue;
    assume(world.assumptions);
    if (fault !== undefined) {
      // A rule that explains the fault. The invariants need no more than that.
      const isWritten = fault.kind === "respond" || (producedBy !== "service" && status >= 500);
      const kind = bodyReplaced.includes(fault.kind) ? "garbage" : "drop";
      trace.recordRule({ match: {}, verdict: isWritten ? { kind: "respond", status } : { kind } });
    }
    trace.observe(exchangeOf(entry));
  }
  assume(sim.assumptions);
  return trace;
}

/** The exchange as the client saw it. */
function exchangeOf({ at, operation, request, response, fault }: RecordedEntry): ClientExchange {
  const { bodyBase64, ...sent } = request;
  const { status, headers, body: text } = response;
  const isCut = fault?.received === "part" && status !== 0;
  return {
    ...{ operation, status, headers, text },
    atMs: Date.parse(at),
    request: bodyBase64 === undefined ? sent : { ...sent, body: fromBase64(bodyBase64) },
    outcome: isCut ? "cut" : status === 0 ? "lost" : "answered",
    latencyMs: fault?.delayMs ?? 0,
  };
}
