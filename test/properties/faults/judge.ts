/** Compares an audit with the truth, and what it says about a client's counts with both. */

import { expect } from "vitest";
import { type Audit, AuditError, type ClientCounts, type EventLine } from "../../../src/index.ts";
import type { Line, Truth } from "./expectation.ts";
import { type Stage, stateIn } from "./stage.ts";

export function judge(stage: Stage): void {
  const { sim, mirror, truth } = stage;
  const audit = sim.audit();
  same("what disagrees", audit.discrepancies, []);
  if (!audit.balanced) throw new Error("The books don't balance.");
  const [state, expected] = [stateIn(sim.snapshot()), stateIn(mirror.snapshot())];
  if (state !== expected) {
    expect(JSON.parse(state), "R7: the state under rules").toEqual(JSON.parse(expected));
  }
  compareLines(audit, truth);
  judgeCounts(stage, audit);
}

/** A world whose rules never fired differs from one without in nothing but the rules themselves. */
export function judgeSameness({ sim, mirror }: Stage): void {
  const [left, right] = [sim, mirror].map((one) => ({
    journal: one.journal.entries(),
    audit: one.audit(),
    state: { ...one.snapshot(), faults: undefined, digest: undefined },
  }));
  if (JSON.stringify(left) !== JSON.stringify(right)) {
    expect(JSON.parse(JSON.stringify(left)), "R6: a world with rules that never fire").toEqual(
      JSON.parse(JSON.stringify(right)),
    );
    throw new Error("R6 is broken: members stand in another order.");
  }
}

function same(what: string, actual: unknown, expected: unknown): void {
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== ought) throw new Error(`Expected ${what} to be\n${ought}, got\n${is}`);
}

function compareLines(audit: Audit, { lines }: Truth): void {
  const known = Object.keys(lines).filter((publisher) => publisher !== "");
  same("who had requests", audit.publishers.map(({ publisher }) => publisher).sort(), known.sort());
  const all: Line[] = [];
  for (const one of [...audit.publishers, { ...audit.withoutKey, publisher: "" }]) {
    const { publisher, impressions, clicks } = one;
    const expected = lines[publisher];
    if (expected === undefined) continue;
    same(`impressions of ${publisher}`, impressions, shown([expected.impressions]));
    same(`clicks of ${publisher}`, clicks, shown([expected.clicks]));
    same(`requests of ${publisher}`, plain(one), shown([expected.impressions, expected.clicks]));
    all.push(expected.impressions, expected.clicks);
    if ("books" in one) {
      const { revenueInr, paidInr, pendingInr } = one.books;
      const sum = Math.round((paidInr + pendingInr) * 1e6);
      same(`M1 of ${publisher}`, Math.round(revenueInr * 1e6), sum);
    }
  }
  same("all requests", plain(audit.total), shown(all));
}

/** Only the figures of a line. */
function plain(line: EventLine): EventLine {
  return Object.fromEntries(
    Object.keys(shown([])).map((name) => [name, line[name as keyof EventLine]]),
  ) as unknown as EventLine;
}

/** What an audit shows of these lines together. Revenue recorded is what answers credited, seen or not (M2). */
function shown(lines: readonly Line[]): EventLine {
  const sum = (name: keyof Line): number => lines.reduce((so, line) => so + line[name], 0);
  const [answered, injected, lost, dropped] = [
    sum("answered"),
    sum("injected"),
    sum("lost"),
    sum("dropped"),
  ];
  return {
    attempts: answered + injected + lost + dropped,
    answered,
    injected,
    lost,
    dropped,
    copies: sum("copies"),
    applied: sum("applied"),
    duplicatesSuppressed: sum("duplicatesSuppressed"),
    refused: sum("refused"),
    unseen: sum("unseen"),
    creditedSeenInr: sum("seenMicros") / 1e6,
    creditedUnseenInr: sum("unseenMicros") / 1e6,
    creditedRecordedInr: (sum("seenMicros") + sum("unseenMicros")) / 1e6,
  };
}

interface Wanted {
  readonly publisher: string | undefined;
  readonly what: string;
  readonly client: number;
  readonly ledger: number;
}

/** It must throw for exactly those figures that differ. */
function judgeCounts(stage: Stage, audit: Audit): void {
  const { sim, sometimes } = stage;
  const publishers = sim.publishers.credentials(3).map(({ id }) => id);
  const each = publishers.map(
    (publisher): ClientCounts => ({ publisher, ...countsOf(stage, publisher) }),
  );
  const total = {
    impressions: each.reduce((sum, one) => sum + one.impressions, 0),
    clicks: each.reduce((sum, one) => sum + one.clicks, 0),
  };
  const differences = differencesWith(audit, each);
  same(
    "differences",
    differences,
    each.flatMap((counts) => expectedOf(stage, [counts.publisher ?? ""], counts)),
  );
  const inAll = differencesWith(audit, total);
  same("differences in all", inAll, expectedOf(stage, publishers, total));
  sometimes(differences.length === 0 ? "nothing lost or doubled" : "something lost or doubled");
  for (const { what, client, ledger } of differences) {
    sometimes(`${what} ${client > ledger ? "lost" : "doubled or unknown"}`);
  }
}

function countsOf({ beliefs }: Stage, publisher: string): Omit<ClientCounts, "publisher"> {
  const belief = beliefs[publisher] ?? { impressions: [], clicks: [], inr: 0 };
  const { impressions, clicks, inr } = belief;
  return { impressions: impressions.length, clicks: clicks.length, revenueInr: inr };
}

function expectedOf(
  { truth, sim }: Stage,
  publishers: readonly string[],
  counts: ClientCounts,
): Wanted[] {
  const owned = Object.values(truth.owners).filter((owner) => publishers.includes(owner)).length;
  const clicks = Object.values(truth.clicks).filter((impression) =>
    publishers.includes(truth.owners[impression] ?? ""),
  ).length;
  const lines = publishers.flatMap((id) => Object.values(truth.lines[id] ?? {}));
  const micros = lines.reduce((sum, line) => sum + line.seenMicros + line.unseenMicros, 0);
  const client = Math.round((counts.revenueInr ?? 0) * 1e6);
  const tolerated = sim.assumptions["money.precision"] === "paise" ? 5000 * (owned + clicks) : 0;
  const publisher = counts.publisher;
  const wanted = [
    { publisher, what: "impressions", client: counts.impressions, ledger: owned },
    { publisher, what: "clicks", client: counts.clicks, ledger: clicks },
  ].filter((one) => one.client !== one.ledger);
  if (counts.revenueInr === undefined || Math.abs(client - micros) <= tolerated) return wanted;
  return [...wanted, { publisher, what: "revenueInr", client: client / 1e6, ledger: micros / 1e6 }];
}

function differencesWith(audit: Audit, counts: ClientCounts | readonly ClientCounts[]): Wanted[] {
  try {
    audit.assertNothingLostOrDoubled(counts);
    return [];
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    return error.differences.map(({ publisher, what, client, ledger }) => {
      return { publisher, what, client, ledger };
    });
  }
}
