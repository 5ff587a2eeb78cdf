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

/** What the page asks about a world, whatever happened in it. */
const worldPaths = [
  "clock",
  "assumptions",
  "faults",
  "health",
  "audit",
  "report",
  "journal?limit=1",
  "journal?limit=12",
];
const publishersPath = "publishers?offset=0&limit=20";

/** The worlds as they are now, `default` first. */
export async function traceOf(worlds: Worlds, title: string): Promise<Trace> {
  const others = worlds.names().filter((name) => name !== DEFAULT_WORLD);
  const names = [DEFAULT_WORLD, ...others];
  const bodyOf = async (name: string, path: string): Promise<string | undefined> => {
    const request = { method: "GET", path: `/@${name}/_sim/${path}` };
    const { status, body } = await worlds.begin(request);
    // A moment may be too early to be rebuilt, for example.
    return status === 200 ? body : undefined;
  };
  const ask = async (name: string, path: string): Promise<unknown> => {
    const body = await bodyOf(name, path);
    return body && JSON.parse(body);
  };
  const shareOf = (most: number): number => Math.ceil(most / names.length);

  async function answersOf(name: string): Promise<Answers> {
    const { total, kept } = worlds.get(name).journal;
    const latest = (most: number): readonly number[] => {
      const count = Math.min(kept, shareOf(most));
      return Array.from({ length: count }, (_, index) => total - count + index + 1);
    };
    const paths = [
      ...worldPaths,
      ...latest(MAX_EXCHANGES).map((sequence) => `journal/${sequence}`),
      ...latest(MAX_MOMENTS).map((sequence) => `history/${sequence}`),
    ];
    const after = total - latest(MAX_ROWS).length;
    const answers: Record<string, unknown> = {};
    for (const path of paths) answers[path] = await ask(name, path);
    return {
      ...answers,
      events: await bodyOf(name, `events?follow=false&after=${after}`),
      [publishersPath]: withoutKeys(await ask(name, publishersPath)),
    };
  }

  const answers: Record<string, Answers> = {};
  for (const name of names) answers[name] = await answersOf(name);
  return {
    title,
    notes: [
      "This file only shows what was recorded: to change something, to go on from a moment or to ask what if takes a server.",
      ...(names.some((name) => worlds.get(name).journal.total > shareOf(MAX_MOMENTS))
        ? [
            `It has the latest ${shareOf(MAX_ROWS)} exchanges of each world, the latest ${shareOf(MAX_EXCHANGES)} of them with headers and bodies, and the state around the latest ${shareOf(MAX_MOMENTS)}.`,
          ]
        : []),
      ...missingFrom(worlds),
    ],
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
  return [
    ...(dropped.length === 0
      ? []
      : [`Without these worlds, which the server dropped to make room: ${dropped.join(", ")}.`]),
    ...(begunAnew.length === 0
      ? []
      : [
          `Without what happened before the latest reset or clearing of the journal in: ${begunAnew.join(", ")}.`,
        ]),
  ];
}

/** The route's own answer, but for the keys, which no file shows. */
function withoutKeys(listing: unknown): unknown {
  const { publishers, ...others } = listing as { readonly publishers: readonly Publisher[] };
  return { ...others, publishers: publishers.map((one) => ({ ...one, apiKey: REDACTED })) };
}
