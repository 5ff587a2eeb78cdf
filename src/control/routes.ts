/** The control API as a table of routes. Each only calls what the in-process API offers too. */

import * as v from "valibot";
import { formatInstant, parseInstant } from "../base/calendar.ts";
import { clockModes } from "../base/clock.ts";
import { InputError, renamingField, underName } from "../base/input.ts";
import { given } from "../base/plain-data.ts";
import { instantText, type Schema, strictObject } from "../base/schemas.ts";
import { VERSION } from "../base/version.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { recordExamples } from "../simulator/openapi-examples.ts";
import { entryNumber } from "../simulator/past.ts";
import type { Worlds } from "../simulator/worlds.ts";
import { catalogue } from "../spec/assumptions/catalogue.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { openApiDocument } from "../spec/openapi.ts";
import type { Publishers } from "../world/accounts/publisher-directory.ts";
import { pageRoutes } from "./browsers.ts";
import { eventRoutes } from "./event-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { journalRoutes } from "./journal-routes.ts";
import { checkedLater, duration, MAX_SNAPSHOT_BYTES, wholeNumber } from "./read-request.ts";
import { created, json, text } from "./responses.ts";
import { type ControlCall, type ControlRoute, route } from "./route.ts";
import { scenarioRoutes } from "./scenario-routes.ts";

const range = {
  offset: wholeNumber,
  limit: v.pipe(wholeNumber, v.maxValue(1000, "must be at most 1000")),
};
// The simulator checks these.
const snapshot = checkedLater<ReturnType<SimulatorCore["snapshot"]>>();
const signUp = v.optional(checkedLater<Parameters<Publishers["signUp"]>[0] & object>(), {});
const surfaceChange = checkedLater<Parameters<Publishers["setSurface"]>[2]>();
const choices = checkedLater<Parameters<SimulatorCore["assume"]>[0]>();

const clockChange = strictObject({
  mode: v.optional(v.picklist(clockModes, `must be one of ${clockModes.join(", ")}`)),
  now: v.optional(instantText),
});
const fork = strictObject({
  name: v.string(),
  from: v.optional(v.string()),
  after: v.optional(entryNumber),
});

/** A change of nothing is a mistake. */
function notEmpty<Body extends object>(schema: Schema<Body>): Schema<Body> {
  const isChange = v.check((body: Body) => Object.keys(body).length > 0, "must not be empty");
  return v.pipe(schema, isChange);
}

export const controlRoutes: readonly ControlRoute[] = [
  ...pageRoutes,
  route("GET health", {}, health),
  route("GET snapshot", {}, ({ world }) => json(world.snapshot())),
  route("PUT snapshot", { body: snapshot, maxBytes: MAX_SNAPSHOT_BYTES }, (call) => {
    call.world.restore(call.body);
    return health(call);
  }),
  route("POST reset", { body: v.optional(checkedLater<{ seed?: string }>(), {}) }, (call) => {
    call.world.reset(call.body);
    return health(call);
  }),
  route("GET audit", {}, ({ world }) => {
    const { assertNothingLostOrDoubled: _, ...figures } = world.audit();
    return json(figures);
  }),
  route("GET report", {}, ({ world }) => json(world.report())),
  route("GET openapi.json", {}, ({ world, prefix, baseUrl = prefix || "/" }) =>
    json(openApiDocument(world.assumptions, { baseUrl, examples: recordExamples(world) })),
  ),

  route("GET publishers", { query: range }, ({ world: { publishers }, query }) =>
    json({ publishers: publishers.list(query), total: publishers.total }),
  ),
  route("POST publishers", { body: signUp }, ({ world, prefix, body }) => {
    const publisher = world.publishers.signUp(body);
    return created(publisher, `${prefix}/_sim/publishers/${publisher.id}`);
  }),
  route("GET publishers/:publisher", {}, ({ world, part }) =>
    json(world.publishers.get(part("publisher"))),
  ),
  route("PATCH publishers/:publisher/surfaces/:surface", { body: surfaceChange }, (call) => {
    const { world, part, body } = call;
    return json(world.publishers.setSurface(part("publisher"), part("surface"), body));
  }),
  route(
    "POST publishers/:publisher/rotate-key",
    { body: v.optional(strictObject({}), {}) },
    ({ world, part }) => json(world.publishers.rotateKey(part("publisher"))),
  ),

  route("GET clock", {}, clock),
  route("PUT clock", { body: notEmpty(clockChange) }, (call) => {
    const { mode, now } = call.body;
    call.world.clock.set(given({ mode, nowMs: parseInstant(now ?? "") }));
    return clock(call);
  }),
  route("POST clock/advance", { body: strictObject({ by: duration }) }, (call) => {
    underName("by", () => call.world.clock.advance(call.body.by));
    return clock(call);
  }),

  route("GET catalogue", {}, () => json(catalogue)),
  route("GET assumptions", {}, ({ world }) => json(world.assumptions)),
  route("PATCH assumptions", { body: notEmpty(choices) }, ({ world, body }) => {
    // The body has the keys themselves, not an `assumptions` field as the options do.
    const nameInBody = (field: string): string => field.replace(/^assumptions\./, "");
    return json(renamingField(nameInBody, () => world.assume(body)));
  }),

  route("GET faults", {}, ({ world }) => json({ faults: world.faults.list() })),
  route("POST faults", { body: checkedLater<FaultRule>() }, ({ world, prefix, body }) => {
    const { rule } = world.faults.add(body);
    return created(rule, `${prefix}/_sim/faults/${encodeURIComponent(rule.id)}`);
  }),
  route("DELETE faults", {}, ({ world }) => void world.faults.clear()),
  route("GET faults/:id", {}, ({ world, part }) => json(world.faults.get(part("id")))),
  route("DELETE faults/:id", {}, ({ world: { faults }, part }) => {
    void faults.remove(faults.get(part("id")).id);
  }),

  ...journalRoutes,
  ...historyRoutes,
  ...eventRoutes,
  ...scenarioRoutes,

  route("GET worlds", {}, ({ worlds }) => {
    const { max, dropped } = worlds.usage().worlds;
    return json({ worlds: worlds.names().map((name) => summaryOf(worlds, name)), max, dropped });
  }),
  route("POST worlds", { body: fork }, (call) => {
    const { name, from, after } = call.body;
    // Only this creates the world of the path if it doesn't exist.
    if (from === undefined) void call.world;
    call.worlds.fork(name, from ?? call.worldName, after === undefined ? undefined : { after });
    return created(summaryOf(call.worlds, name), `/@${name}/_sim/health`);
  }),
  route("DELETE worlds/:name", {}, ({ worlds, part }) => {
    if (worlds.delete(part("name"))) return undefined;
    throw new InputError("name", "is not the name of an existing world", "not-found");
  }),
  route("GET metrics", {}, ({ worlds, modules }) =>
    text("text/plain; version=0.0.4; charset=utf-8", modules.metrics(worlds.metrics())),
  ),
];

function summaryOf(worlds: Worlds, name: string): object {
  const { seed, clock, journal, usage } = worlds.peek(name) ?? worlds.get(name);
  const now = formatInstant(clock.now());
  return { name, seed, now, requests: journal.total, ...usage() };
}

function health({ world, worlds, worldName }: ControlCall): ApiResponse {
  const about = { version: VERSION, seed: world.seed, world: worldName };
  const now = formatInstant(world.clock.now());
  return json({ status: "ok", ...about, now, server: worlds.usage() });
}

function clock({ world }: ControlCall): ApiResponse {
  return json({ mode: world.clock.mode, now: formatInstant(world.clock.now()) });
}
