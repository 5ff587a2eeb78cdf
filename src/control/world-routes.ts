/** The worlds of a server: lists, forks and deletes them, and shows the figures of all. */

import * as v from "valibot";
import { formatInstant } from "../base/calendar.ts";
import { InputError } from "../base/input.ts";
import { strictObject } from "../base/schemas.ts";
import { entryNumber } from "../simulator/past.ts";
import type { Worlds } from "../simulator/worlds.ts";
import { created, json, nothing, text } from "./responses.ts";
import { type ControlRoute, route } from "./route.ts";

const fork = strictObject({
  name: v.string(),
  from: v.optional(v.string()),
  after: v.optional(entryNumber),
  before: v.optional(entryNumber),
});

/** Only a fork creates the world that its path names. */
export const worldRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "worlds",
    answer({ worlds }) {
      const { max, dropped } = worlds.usage().worlds;
      return json({ worlds: worlds.names().map((name) => summaryOf(worlds, name)), max, dropped });
    },
  }),
  route({
    method: "POST",
    path: "worlds",
    body: { schema: fork },
    answer(call) {
      const { worlds, worldName, body } = call;
      const { name, from, after, before } = body;
      if (after !== undefined && before !== undefined) {
        throw new InputError("before", "can't be combined with after: give only one of them");
      }
      // Creates the world of the path if it doesn't exist.
      if (from === undefined) void call.world;
      const moment =
        after !== undefined ? { after } : before !== undefined ? { before } : undefined;
      worlds.fork(name, from ?? worldName, moment);
      return created(summaryOf(worlds, name), `/@${name}/_sim/health`);
    },
  }),
  route({
    method: "DELETE",
    path: "worlds/:name",
    answer({ worlds, part }) {
      if (worlds.delete(part("name"))) return nothing;
      throw new InputError("name", "is not the name of an existing world", "not-found");
    },
  }),
  route({
    method: "GET",
    path: "metrics",
    answer: ({ worlds, modules }) =>
      text("text/plain; version=0.0.4; charset=utf-8", modules.metrics(worlds.metrics())),
  }),
];

function summaryOf(worlds: Worlds, name: string): object {
  const { seed, clock, journal, usage } = worlds.peek(name) ?? worlds.get(name);
  const now = formatInstant(clock.now());
  return { name, seed, now, requests: journal.total, ...usage() };
}
