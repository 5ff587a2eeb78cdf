/**
 * Laws that take more than one world: the recorded requests are played again in new ones, and the answers compared with one
 * another. A law that finds nothing says what it looked at; one that is broken throws.
 */

import { readRecording } from "../../journal/read-recording.ts";
import { replayInProcess } from "../../play/replay/in-process.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { SimulatorOptions } from "../../simulator/simulator-options.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { fakerPeople } from "../../world/publishers/people.ts";
import { type Recorded, type RecordedEntry, requestOf, sentKeyOf } from "./recorded.ts";

/** A run that can be played again. */
export interface Replayable {
  readonly recorded: Recorded;
  readonly create: (options: SimulatorOptions) => SimulatorCore;
  /** The first requests, as many as are played again. */
  readonly entries: readonly RecordedEntry[];
}

/** A law that is broken. */
export class Different extends Error {}

/** Why a law can't be judged. */
export class NotTried extends Error {}

/** More requests than these are played by their beginning. */
export const MOST_REPLAYED = 2000;
const MOST_GROUPS = 5;

/** By id; each gives what it looked at. */
export const replayedLaws: Readonly<Record<string, (run: Replayable) => string>> = {
  A1(run) {
    const groups = groupsOf(run, "publisher");
    return alone(run, groups, "publishers, each alone and among the others");
  },
  A2(run) {
    const { publishers = 0 } = run.recorded.options;
    const more = play(run, { options: { ...run.recorded.options, publishers: publishers + 1 } });
    same(run, play(run), more, "beside a publisher more");
    return "with a publisher more and without";
  },
  A5(run) {
    const bystander = fresh(run);
    const before = JSON.stringify(bystander.snapshot());
    play(run);
    const isUntouched = JSON.stringify(bystander.snapshot()) === before;
    if (!isUntouched || bystander.journal.total > 0)
      throw new Different("what was done in one world shows in another that was made beside it");
    return "beside another new world";
  },
  R1(run) {
    const [one, other] = [play(run), play(run)];
    same(run, one, other, "the second time");
    sameState(one, other, "played twice");
    return "twice, in two new worlds";
  },
  R2(run) {
    const half = Math.floor(run.entries.length / 2);
    const through = play(run, {
      between: (sim, place) => {
        if (place !== half) return sim;
        const restored = fresh(run);
        restored.restore(JSON.parse(JSON.stringify(sim.snapshot())));
        return restored;
      },
    });
    const straight = play(run);
    same(run, straight, through, "in a world restored halfway");
    sameState(straight, through, "saved and restored halfway");
    return "straight on, and saved and restored halfway";
  },
  R3(run) {
    const half = Math.floor(run.entries.length / 2);
    let origin: { readonly sim: SimulatorCore; readonly state: string } | undefined;
    const forked = play(run, {
      between: (sim, place) => {
        if (place !== half) return sim;
        origin = { sim, state: JSON.stringify(sim.snapshot()) };
        return sim.fork();
      },
    });
    if (origin !== undefined && JSON.stringify(origin.sim.snapshot()) !== origin.state)
      throw new Different("what was done in a fork shows in its origin");
    same(run, play(run), forked, "in a fork made halfway");
    return "straight on, and in a fork from halfway on";
  },
  R5: journalReplayed,
  R6(run) {
    const match = { nth: Number.MAX_SAFE_INTEGER };
    const faults = [{ match, verdict: { kind: "respond", status: 500 } }] as const;
    const beside = play(run, { options: { ...run.recorded.options, faults } });
    same(run, play(run), beside, "beside a rule that never fires");
    return "with a fault rule that never fires and without";
  },
  R8(run) {
    const groups = groupsOf(run, "key");
    return alone(run, groups, "keys, each in a world of its own");
  },
};

interface Played {
  /** By place among the run's requests; undefined where that wasn't sent. */
  readonly answers: readonly (string | undefined)[];
  readonly statuses: readonly (number | undefined)[];
  readonly sim: SimulatorCore;
}

interface Change {
  readonly options?: SimulatorOptions;
  /** Which requests are sent. @default all */
  readonly sends?: (entry: RecordedEntry) => boolean;
  /** Whether the world goes on as another before a request. */
  readonly between?: (sim: SimulatorCore, place: number) => SimulatorCore;
}

function fresh({ create, recorded }: Replayable, options: SimulatorOptions = recorded.options) {
  return create({ ...options, clock: "frozen" });
}

function play(run: Replayable, { options, sends, between }: Change = {}): Played {
  let sim = fresh(run, options);
  const responses = run.entries.map((entry, place): ApiResponse | undefined => {
    sim = between?.(sim, place) ?? sim;
    const byMs = Date.parse(entry.at) - sim.clock.now();
    if (byMs > 0) sim.clock.advance(byMs);
    return sends === undefined || sends(entry) ? sim.handle(requestOf(entry)) : undefined;
  });
  const answers = responses.map((one) => one && bytesOf(one));
  return { answers, statuses: responses.map((one) => one?.status), sim };
}

function bytesOf({ status, headers, body }: ApiResponse): string {
  return JSON.stringify([status, headers, body]);
}

/** What was sent in both must have been answered alike. */
function same({ entries }: Replayable, expected: Played, actual: Played, where: string): void {
  for (const [place, answer] of actual.answers.entries()) {
    const before = expected.answers[place];
    if (answer === undefined || answer === before) continue;
    const { method, path } = entries[place]?.request ?? { method: "", path: "" };
    throw new Different(
      `request ${place + 1}, ${method} ${path}, got ${before}, and ${where} ${answer}`,
    );
  }
}

function sameState(one: Played, other: Played, what: string): void {
  if (JSON.stringify(one.sim.snapshot()) !== JSON.stringify(other.sim.snapshot()))
    throw new Different(`${what}, the two worlds have other states`);
}

type Group = ReadonlySet<RecordedEntry>;

/** Requests by who sent them. */
function groupsOf({ entries, recorded }: Replayable, by: "publisher" | "key"): readonly Group[] {
  const { assumptions } = recorded.snapshot;
  if (assumptions["auth.key-scope"] === "any")
    throw new NotTried("under auth.key-scope=any publishers share quotas and impressions");
  // A key that was rotated away is valid in a new world: it belongs to whom it once belonged to.
  const owners = new Map<string | undefined, string>();
  for (const entry of entries)
    if (entry.publisher !== undefined) owners.set(sentKeyOf(entry), entry.publisher);
  const groups = new Map<string, Set<RecordedEntry>>();
  for (const entry of entries) {
    const key = sentKeyOf(entry);
    const name = entry.publisher ?? (by === "key" ? (owners.get(key) ?? key) : undefined);
    if (name === undefined) continue;
    const group = groups.get(name) ?? new Set();
    groups.set(name, group.add(entry));
  }
  if (groups.size < 2) throw new NotTried("fewer than two publishers sent anything");
  return Array.from(groups.values()).slice(0, MOST_GROUPS);
}

function alone(run: Replayable, groups: readonly Group[], what: string): string {
  const together = play(run);
  for (const group of groups) {
    const apart = play(run, { sends: (entry) => group.has(entry) });
    same(run, together, apart, "without the others");
  }
  return `${groups.length} ${what}`;
}

/** The one law that is about the recorded answers themselves. */
function journalReplayed({ recorded }: Replayable): string {
  const { replayed, notes } = replayInProcess(readRecording(recorded.lines), {
    surroundings: { people: () => fakerPeople },
    chosen: { assumptions: {} },
    time: "recorded",
  });
  const different = replayed.filter(({ outcome }) => outcome.kind === "different");
  const [first] = different;
  if (first === undefined || first.outcome.kind !== "different")
    return `${replayed.length} requests replayed from the journal`;
  const changed = changedByHand(recorded) ?? notes[0];
  if (changed !== undefined)
    throw new NotTried(
      `${different.length} answers come out otherwise, which may be since ${changed}`,
    );
  throw new Different(
    `${different.length} of ${replayed.length} answers come out otherwise, the first at ${first.exchange.place}: ${JSON.stringify(first.outcome.difference)}`,
  );
}

/** What no journal has. */
function changedByHand({ snapshot: { accounts, publishers } }: Recorded): string | undefined {
  if (accounts.some(({ ordinal }) => ordinal >= publishers)) return "a publisher signed up";
  if (accounts.some(({ keySerial }) => keySerial > 0)) return "a key was rotated";
  const isSet = accounts.some(({ surfaces }) =>
    surfaces.some(({ statusBy }) => statusBy === "user"),
  );
  return isSet ? "a surface was changed" : undefined;
}

/** How many requests are answered with the status that was recorded: what else there was no journal has. */
export function reproducedIn(run: Replayable): number {
  const { statuses } = play(run);
  return run.entries.filter(({ response }, place) => response.status === statuses[place]).length;
}
