/** The worlds of a server over the control API: lists, forks and deletes them. */

import * as v from "valibot";
import { formatInstant } from "../base/calendar.ts";
import { InputError, parseInput } from "../base/input.ts";
import { strictObject } from "../base/schema-builders.ts";
import { entryNumber, type Moment } from "../simulator/past.ts";
import type { MaybeLater, Worlds } from "../simulator/worlds.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";

/** Only a fork creates the world that its path names. */
export const worldRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "worlds",
    answer({ worlds }) {
      const { max, dropped } = worlds.usage().worlds;
      const summaries = worlds.names().map((name) => summaryOf(worlds, name));
      return { kind: "json", value: { worlds: summaries, max, dropped } };
    },
  },
  { method: "POST", path: "worlds", body: "required", answer: fork },
  {
    method: "DELETE",
    path: "worlds/:name",
    answer({ worlds, part }) {
      if (worlds.delete(part("name"))) return { kind: "nothing" };
      throw new InputError("name", "is not the name of an existing world", "not-found");
    },
  },
  { method: "GET", path: "metrics", answer: metrics },
];

interface WorldSummary {
  readonly name: string;
  readonly seed: string;
  readonly now: string;
  /** How many requests it has answered. */
  readonly requests: number;
  readonly publishersTouched: number;
  readonly impressions: number;
}

function summaryOf(worlds: Worlds, name: string): WorldSummary {
  const { seed, clock, journal, usage } = worlds.peek(name) ?? worlds.get(name);
  const now = formatInstant(clock.now());
  return { name, seed, now, requests: journal.total, ...usage() };
}

/** In the format of Prometheus, or as JSON in process. */
function metrics({ worlds, modules }: ControlCall): MaybeLater<Reply> {
  if (modules.metrics === undefined) return { kind: "json", value: { metrics: worlds.metrics() } };
  return modules.metrics().then(async (write) => {
    return { kind: "text", ...(await write(worlds.metrics())) };
  });
}

function momentOf(after: number | undefined, before: number | undefined): Moment | undefined {
  if (after !== undefined) return { after };
  return before === undefined ? undefined : { before };
}

const forkSchema = strictObject({
  name: v.string(),
  from: v.optional(v.string()),
  after: v.optional(entryNumber),
  before: v.optional(entryNumber),
});

function fork(call: ControlCall): Reply {
  const { worlds } = call;
  const { name, from, after, before } = parseInput(forkSchema, call.body);
  if (after !== undefined && before !== undefined) {
    throw new InputError("before", "can't be combined with after: give only one of them");
  }
  const moment = momentOf(after, before);
  // Creates the world of the path if it doesn't exist.
  if (from === undefined) void call.world;
  worlds.fork(name, from ?? call.worldName, moment);
  const prefix = `/@${name}`;
  return { kind: "created", value: summaryOf(worlds, name), location: `${prefix}/_sim/health` };
}
