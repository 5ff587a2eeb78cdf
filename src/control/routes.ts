/** The control API as a table of routes. Each only calls what the in-process API offers too. */

import * as v from "valibot";
import { formatInstant, parseInstant } from "../base/calendar.ts";
import { clockModes } from "../base/clock.ts";
import { InputError, renamingField, underName } from "../base/input.ts";
import { given } from "../base/plain-data.ts";
import { instantText, strictObject } from "../base/schemas.ts";
import { VERSION } from "../base/version.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { recordExamples } from "../simulator/openapi-examples.ts";
import { catalogue } from "../spec/assumptions/catalogue.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { openApiDocument } from "../spec/openapi.ts";
import type { Publishers } from "../world/accounts/publisher-directory.ts";
import { pageRoutes } from "./browsers.ts";
import { eventRoutes } from "./event-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { journalRoutes } from "./journal-routes.ts";
import { checkedLater, duration, wholeText } from "./read-request.ts";
import { created, json, nothing } from "./responses.ts";
import { type ControlCall, type ControlRoute, route } from "./route.ts";
import { scenarioRoutes } from "./scenario-routes.ts";
import { worldRoutes } from "./world-routes.ts";

const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024;

const stateRoutes: readonly ControlRoute[] = [
  route({ method: "GET", path: "health", answer: health }),
  route({ method: "GET", path: "snapshot", answer: ({ world }) => json(world.snapshot()) }),
  route({
    method: "PUT",
    path: "snapshot",
    body: {
      schema: checkedLater<ReturnType<SimulatorCore["snapshot"]>>(),
      maxBytes: MAX_SNAPSHOT_BYTES,
    },
    answer(call) {
      call.world.restore(call.body);
      return health(call);
    },
  }),
  route({
    method: "POST",
    path: "reset",
    body: { schema: checkedLater<{ seed?: string }>(), optional: true },
    answer(call) {
      call.world.reset(call.body);
      return health(call);
    },
  }),
  route({
    method: "GET",
    path: "audit",
    answer({ world }) {
      const { assertNothingLostOrDoubled: _, ...figures } = world.audit();
      return json(figures);
    },
  }),
  route({ method: "GET", path: "report", answer: ({ world }) => json(world.report()) }),
  route({
    method: "GET",
    path: "openapi.json",
    answer({ world, prefix, baseUrl = prefix || "/" }) {
      const examples = recordExamples(world);
      return json(openApiDocument(world.assumptions, { baseUrl, examples }));
    },
  }),
];

function health({ world, worlds, worldName }: ControlCall): ApiResponse {
  const { seed, clock } = world;
  const now = formatInstant(clock.now());
  const server = worlds.usage();
  return json({ status: "ok", version: VERSION, seed, world: worldName, now, server });
}

const publisherRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "publishers",
    query: { offset: wholeText(0), limit: wholeText(1, 1000) },
    answer: ({ world: { publishers }, query }) =>
      json({ publishers: publishers.list(query), total: publishers.total }),
  }),
  route({
    method: "POST",
    path: "publishers",
    body: { schema: checkedLater<Parameters<Publishers["signUp"]>[0] & object>(), optional: true },
    answer({ world, prefix, body }) {
      const publisher = world.publishers.signUp(body);
      return created(publisher, `${prefix}/_sim/publishers/${publisher.id}`);
    },
  }),
  route({
    method: "GET",
    path: "publishers/:publisher",
    answer: ({ world, part }) => json(world.publishers.get(part("publisher"))),
  }),
  route({
    method: "PATCH",
    path: "publishers/:publisher/surfaces/:surface",
    body: { schema: checkedLater<Parameters<Publishers["setSurface"]>[2]>() },
    answer: ({ world, part, body }) =>
      json(world.publishers.setSurface(part("publisher"), part("surface"), body)),
  }),
  route({
    method: "POST",
    path: "publishers/:publisher/rotate-key",
    body: { schema: strictObject({}), optional: true },
    answer: ({ world, part }) => json(world.publishers.rotateKey(part("publisher"))),
  }),
];

const clockRoutes: readonly ControlRoute[] = [
  route({ method: "GET", path: "clock", answer: clock }),
  route({
    method: "PUT",
    path: "clock",
    body: {
      schema: v.pipe(
        strictObject({
          mode: v.optional(v.picklist(clockModes, `must be one of ${clockModes.join(", ")}`)),
          now: v.optional(instantText),
        }),
        v.check((change) => Object.keys(change).length > 0, "must change mode, now or both"),
      ),
    },
    answer(call) {
      const { mode, now } = call.body;
      call.world.clock.set(given({ mode, nowMs: parseInstant(now ?? "") }));
      return clock(call);
    },
  }),
  route({
    method: "POST",
    path: "clock/advance",
    body: { schema: strictObject({ by: duration }) },
    answer(call) {
      underName("by", () => call.world.clock.advance(call.body.by));
      return clock(call);
    },
  }),
];

function clock({ world }: ControlCall): ApiResponse {
  return json({ mode: world.clock.mode, now: formatInstant(world.clock.now()) });
}

const assumptionRoutes: readonly ControlRoute[] = [
  route({ method: "GET", path: "catalogue", answer: () => json(catalogue) }),
  route({ method: "GET", path: "assumptions", answer: ({ world }) => json(world.assumptions) }),
  route({
    method: "PATCH",
    path: "assumptions",
    body: { schema: checkedLater<Parameters<SimulatorCore["assume"]>[0]>() },
    answer({ world, body }) {
      if (Object.keys(body).length === 0) {
        const expected = 'must name at least one choice, such as {"dedup.repeat":"conflict"}';
        throw new InputError("body", expected);
      }
      // The body has the keys themselves, not an `assumptions` field as the options do.
      const nameInBody = (field: string): string => field.replace(/^assumptions\./, "");
      return json(renamingField(nameInBody, () => world.assume(body)));
    },
  }),
];

const faultRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "faults",
    answer: ({ world }) => json({ faults: world.faults.list() }),
  }),
  route({
    method: "POST",
    path: "faults",
    body: { schema: checkedLater<FaultRule & object>() },
    answer({ world, prefix, body }) {
      const { rule } = world.faults.add(body);
      return created(rule, `${prefix}/_sim/faults/${encodeURIComponent(rule.id)}`);
    },
  }),
  route({
    method: "DELETE",
    path: "faults",
    answer({ world }) {
      world.faults.clear();
      return nothing;
    },
  }),
  route({
    method: "GET",
    path: "faults/:id",
    answer: ({ world, part }) => json(world.faults.get(part("id"))),
  }),
  route({
    method: "DELETE",
    path: "faults/:id",
    answer({ world, part }) {
      world.faults.remove(world.faults.get(part("id")).id);
      return nothing;
    },
  }),
];

export const controlRoutes: readonly ControlRoute[] = [
  ...pageRoutes,
  ...stateRoutes,
  ...publisherRoutes,
  ...clockRoutes,
  ...assumptionRoutes,
  ...faultRoutes,
  ...journalRoutes,
  ...historyRoutes,
  ...eventRoutes,
  ...scenarioRoutes,
  ...worldRoutes,
];
