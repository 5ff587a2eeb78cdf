/** Questions about a world: what a request would get in a copy of it, as a journal entry says it, and how two answers differ. */

import { jsonIn } from "../base/parse-json.ts";
import { shortened } from "../base/text.ts";
import type { FunctionStandIn } from "../faults/rules.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { JournalEntry, ShownResponse } from "../journal/entry.ts";
import { shownResponse } from "../journal/shown-entry.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { Moment } from "../simulator/past.ts";
import { deliveryTraits, type Received } from "../spec/delivery.ts";
import type { ApiRequest } from "../spec/messages.ts";

/** A request to ask about, and when. */
export interface Question {
  readonly core: HostedCore;
  readonly moment: Moment | "now";
  readonly request: ApiRequest;
  /** Decides on it in place of rules that are functions. */
  readonly decide: FunctionStandIn;
}

/** An answer as the client gets it, and what the service did. Its members mean the same as in a journal entry. */
export interface Answer
  extends ShownResponse,
    Pick<
      JournalEntry,
      "operation" | "reason" | "producedBy" | "assumptions" | "effect" | "creditInr"
    > {
  /** How much of the answer the client gets. */
  readonly received: Received;
}

/** The world at the moment of the question. It has no journal. */
export function worldAt({ core, moment, decide }: Question): HostedCore {
  return core.rebuild(core.past.scriptOf(moment), { decide });
}

/** The world is changed by the request: it must be a copy. */
export function ask(world: HostedCore, request: ApiRequest): Answer {
  const entries: JournalEntry[] = [];
  const stop = world.journal.observe((entry) => entries.push(entry));
  const response = world.handle(request);
  stop();
  // A rule may make two of one request, of which the client sees one.
  const seen = entries.find((one) => one.response.status === response.status) ?? entries[0];
  if (seen === undefined) throw new Error("A request left no trace.");
  const { operation, reason, producedBy, assumptions, effect, creditInr } = seen;
  const { delivery } = response;
  return {
    ...shownResponse(response),
    received: delivery === undefined ? "whole" : deliveryTraits[delivery.kind].received,
    ...{ operation, reason, producedBy, assumptions, effect, creditInr },
  };
}

/** Asks each function once about requests that look the same to it, because it may count its calls. */
export function askedOnce(): FunctionStandIn {
  const made = new Map<string, Verdict | undefined>();
  return (id, decide) => (request) => {
    const name = JSON.stringify([id, request]);
    if (!made.has(name)) made.set(name, decide(request));
    return made.get(name);
  };
}

/** Most differences of a body that are named. */
const MAX_NAMED = 20;

/** A sentence for each difference of `now` from `before`, such as `status: 409 instead of 200`. */
export function differences(before: Answer, now: Answer): readonly string[] {
  const body = before.body === now.body ? [] : bodyDifferences(before.body, now.body);
  const names = new Set(Object.keys({ ...before.headers, ...now.headers }));
  // They come from the clock, say which assumptions or rules shaped the answer, or follow from the body.
  for (const name of ["date", "x-adsim-assumptions", "x-adsim-fault"]) names.delete(name);
  if (body.length > 0) names.delete("content-length");
  return [
    ...differing("status", before.status, now.status),
    ...differing("received", before.received, now.received),
    ...Array.from(names).flatMap((name) =>
      differing(`header ${name}`, before.headers[name], now.headers[name]),
    ),
    ...body.slice(0, MAX_NAMED),
  ];
}

function bodyDifferences(before: string, now: string): readonly string[] {
  const found = differing("body", jsonIn(before) ?? before, jsonIn(now) ?? now);
  return found.length > 0 ? found : ["body: the same members in another order"];
}

function differing(name: string, before: unknown, now: unknown): string[] {
  const one = new Map(valuesIn(before, name));
  const other = new Map(valuesIn(now, name));
  const paths = [...new Set([...one.keys(), ...other.keys()])];
  // A success and an error have no member in common: then their members say nothing.
  if (paths.length === one.size + other.size)
    return [`${name}: ${shown(JSON.stringify(now))} instead of ${shown(JSON.stringify(before))}`];
  return paths
    .filter((path) => one.get(path) !== other.get(path))
    .map((path) => `${path}: ${shown(other.get(path))} instead of ${shown(one.get(path))}`);
}

/** The JSON of each value that has no members, by its path: `.name`, or `[0]` in a list. */
function* valuesIn(value: unknown, path: string): Generator<[path: string, json: string]> {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length === 0) yield [path, JSON.stringify(value)];
  for (const [name, inner] of members)
    yield* valuesIn(inner, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`);
}

function shown(json: string | undefined): string {
  return json === undefined ? "nothing" : shortened(json, 80);
}
