/**
 * What a trace file holds: the answers that the page would get from a server, asked of the same routes when the file is
 * written. The file has no simulator, so nothing else can be asked of it, and nothing changed in it.
 */

import { REDACTED } from "../journal/shown-entry.ts";
import { DEFAULT_WORLD, type Worlds } from "../simulator/worlds.ts";
import type { Publisher } from "../world/accounts/account.ts";

export interface Trace {
  readonly title: string;
  /** What readers must know about the file, one sentence each. */
  readonly notes: readonly string[];
  /** Answers that are the same in every world, by their paths below `/_sim/`. */
  readonly shared: Answers;
  readonly worlds: Readonly<Record<string, Answers>>;
}

export type Answers = Readonly<Record<string, unknown>>;

/** Most rows of the list, exchanges in full, and moments with the world's state. All worlds share them. */
const MAX_ROWS = 10_000;
const MAX_EXCHANGES = 1000;
const MAX_MOMENTS = 200;

/** What the page asks about every world. */
const worldPaths = ["clock", "assumptions", "faults", "audit", "report"];
const publishersPath = "publishers?offset=0&limit=20";

/** The worlds as they are now, `default` first. */
export async function traceOf(worlds: Worlds, title: string): Promise<Trace> {
  const names = [...new Set([DEFAULT_WORLD, ...worlds.names()])];
  const shareOf = (most: number): number => Math.ceil(most / names.length);
  const textOf = async (name: string, path: string): Promise<string | undefined> => {
    const request = { method: "GET", path: `/@${name}/_sim/${path}` };
    const { status, body } = await worlds.begin(request);
    // A moment may be too early to be rebuilt, for example.
    return status === 200 ? body : undefined;
  };
  const ask = async (name: string, path: string): Promise<unknown> => {
    const body = await textOf(name, path);
    return body && JSON.parse(body);
  };

  async function answersOf(name: string): Promise<Answers> {
    const { total, kept } = worlds.get(name).journal;
    const before = (most: number): number => total - Math.min(kept, shareOf(most));
    const paths = [...worldPaths];
    for (let sequence = before(MAX_EXCHANGES) + 1; sequence <= total; sequence += 1)
      paths.push(`journal/${sequence}`);
    for (let sequence = before(MAX_MOMENTS) + 1; sequence <= total; sequence += 1)
      paths.push(`history/${sequence}`);
    const answers: Record<string, unknown> = {};
    for (const path of paths) answers[path] = await ask(name, path);
    answers.events = await textOf(name, `events?follow=false&after=${before(MAX_ROWS)}`);
    answers[publishersPath] = withoutKeys(await ask(name, publishersPath));
    return answers;
  }

  const answers: Record<string, Answers> = {};
  for (const name of names) answers[name] = await answersOf(name);
  const isCut = names.some((name) => worlds.get(name).journal.total > shareOf(MAX_MOMENTS));
  const most = [MAX_ROWS, MAX_EXCHANGES, MAX_MOMENTS].map(shareOf);
  return {
    title,
    notes: [
      "This file only shows what was recorded. You need a server to change something, to go on from a moment, or to ask what if.",
      isCut &&
        `It has the latest ${most[0]} exchanges of each world, the latest ${most[1]} of them with headers and bodies, and the state around the latest ${most[2]}.`,
      ...missingFrom(worlds),
    ].filter((note) => note !== false),
    shared: {
      worlds: await ask(DEFAULT_WORLD, "worlds"),
      catalogue: await ask(DEFAULT_WORLD, "catalogue"),
    },
    worlds: answers,
  };
}

/** What happened on the server and isn't in its worlds any more, one sentence each. */
export function missingFrom(worlds: Worlds): readonly string[] {
  const dropped = worlds.droppedNames();
  const begunAnew = worlds.names().filter((name) => worlds.peek(name)?.journal.restarts !== 0);
  const notes: string[] = [];
  if (dropped.length > 0)
    notes.push(
      `These worlds are missing, because the server dropped them to make room: ${dropped.join(", ")}.`,
    );
  if (begunAnew.length > 0)
    notes.push(
      `What happened before the latest reset or clearing of the journal is missing in: ${begunAnew.join(", ")}.`,
    );
  return notes;
}

/** The route's own answer, but for the keys, which no file shows. */
function withoutKeys(listing: unknown): unknown {
  const { publishers, ...others } = listing as { readonly publishers: readonly Publisher[] };
  return { ...others, publishers: publishers.map((one) => ({ ...one, apiKey: REDACTED })) };
}
