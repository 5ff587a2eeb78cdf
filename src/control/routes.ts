/** The control API as a table of routes. Each only calls what the in-process API offers too. */

import * as v from "valibot";
import { formatInstant, parseInstant } from "../base/calendar.ts";
import { clockModes } from "../base/clock.ts";
import { InputError, parseInput, renamingField, underName } from "../base/input.ts";
import { strictObject } from "../base/schema-builders.ts";
import { instantText } from "../base/schemas.ts";
import { VERSION } from "../base/version.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { recordExamples } from "../simulator/openapi-examples.ts";
import { catalogue } from "../spec/assumptions/catalogue.ts";
import { openApiDocument } from "../spec/openapi.ts";
import type { Publishers } from "../world/accounts/publisher-directory.ts";
import { eventRoutes } from "./event-routes.ts";
import { faultRoutes } from "./fault-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { baseUrlOf, durationInBody, integerOf } from "./input.ts";
import { journalRoutes } from "./journal-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";
import { scenarioRoutes } from "./scenario-routes.ts";
import { whatIfRoutes } from "./what-if-routes.ts";
import { worldRoutes } from "./world-routes.ts";

const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024;

const MAX_LISTED = 1000;

export const controlRoutes: readonly ControlRoute[] = [
  ...pageRoutes,
  { method: "GET", path: "health", answer: health },
  { method: "GET", path: "publishers", query: ["offset", "limit"], answer: listPublishers },
  { method: "POST", path: "publishers", body: "optional", answer: signUp },
  {
    method: "GET",
    path: "publishers/:publisher",
    answer: ({ world, part }) => json(world.publishers.get(part("publisher"))),
  },
  {
    method: "PATCH",
    path: "publishers/:publisher/surfaces/:surface",
    body: "required",
    answer: ({ world, part, body }) =>
      // setSurface checks the body's shape.
      json(
        world.publishers.setSurface(
          part("publisher"),
          part("surface"),
          body as Parameters<Publishers["setSurface"]>[2],
        ),
      ),
  },
  {
    method: "POST",
    path: "publishers/:publisher/rotate-key",
    body: "optional",
    answer({ world, part, body }) {
      parseInput(strictObject({}), body);
      return json(world.publishers.rotateKey(part("publisher")));
    },
  },
  { method: "GET", path: "clock", answer: clock },
  { method: "PUT", path: "clock", body: "required", answer: setClock },
  { method: "POST", path: "clock/advance", body: "required", answer: advanceClock },
  { method: "GET", path: "assumptions", answer: ({ world }) => json(world.assumptions) },
  { method: "GET", path: "catalogue", answer: () => json(catalogue) },
  { method: "PATCH", path: "assumptions", body: "required", answer: assume },
  ...journalRoutes,
  ...historyRoutes,
  ...whatIfRoutes,
  ...eventRoutes,
  ...faultRoutes,
  ...worldRoutes,
  { method: "GET", path: "audit", answer: audit },
  { method: "GET", path: "report", answer: ({ world }) => json(world.report()) },
  ...scenarioRoutes,
  {
    method: "GET",
    path: "snapshot",
    answer: ({ world }) => json(world.snapshot()),
  },
  {
    method: "PUT",
    path: "snapshot",
    body: "required",
    maxBodyBytes: MAX_SNAPSHOT_BYTES,
    tooLarge: "Start the server with a larger snapshot: npx adsim serve --load FILE.",
    answer(call) {
      // The simulator checks every field before it changes anything.
      call.world.restore(call.body as ReturnType<SimulatorCore["snapshot"]>);
      return health(call);
    },
  },
  {
    method: "POST",
    path: "reset",
    body: "optional",
    answer(call) {
      // The simulator checks it.
      call.world.reset(call.body as { seed?: string });
      return health(call);
    },
  },
  { method: "GET", path: "openapi.json", answer: document },
];

function json(value: unknown): Reply {
  return { kind: "json", value };
}

function health({ world, worlds, worldName }: ControlCall): Reply {
  const now = formatInstant(world.clock.now());
  const { seed } = world;
  const server = worlds.usage();
  return json({ status: "ok", version: VERSION, seed, world: worldName, now, server });
}

function document({ world, prefix, header }: ControlCall): Reply {
  const baseUrl = baseUrlOf(header("host"), prefix) ?? (prefix || "/");
  return json(openApiDocument(world.assumptions, { baseUrl, examples: recordExamples(world) }));
}

function listPublishers({ world, query }: ControlCall): Reply {
  const offset = integerOf(query, "offset", { minimum: 0 }) ?? 0;
  const limit = integerOf(query, "limit", { minimum: 1, maximum: MAX_LISTED }) ?? 20;
  return json({
    publishers: world.publishers.list({ offset, limit }),
    total: world.publishers.total,
  });
}

function signUp({ world, prefix, body }: ControlCall): Reply {
  // signUp checks the body's shape.
  const publisher = world.publishers.signUp(body as Parameters<Publishers["signUp"]>[0]);
  const location = `${prefix}/_sim/publishers/${encodeURIComponent(publisher.id)}`;
  return { kind: "created", value: publisher, location };
}

function clock({ world }: ControlCall): Reply {
  return json({ mode: world.clock.mode, now: formatInstant(world.clock.now()) });
}

const advanceSchema = strictObject({
  by: durationInBody,
});

function advanceClock(call: ControlCall): Reply {
  const { by } = parseInput(advanceSchema, call.body);
  underName("by", () => call.world.clock.advance(by));
  return clock(call);
}

const setClockSchema = v.pipe(
  strictObject({
    mode: v.optional(v.picklist(clockModes, `must be one of ${clockModes.join(", ")}`)),
    now: v.optional(instantText),
  }),
  v.check((change) => Object.keys(change).length > 0, "must change mode, now or both"),
);

function setClock(call: ControlCall): Reply {
  const { mode, now } = parseInput(setClockSchema, call.body);
  const nowMs = now === undefined ? undefined : parseInstant(now);
  call.world.clock.set({
    ...(mode === undefined ? {} : { mode }),
    ...(nowMs === undefined ? {} : { nowMs }),
  });
  return clock(call);
}

function assume({ world, body }: ControlCall): Reply {
  if (Object.keys(body as object).length === 0) {
    throw new InputError(
      "body",
      'must name at least one choice, such as {"dedup.repeat":"conflict"}',
    );
  }
  return renamingField(
    // The body has the keys themselves, not an `assumptions` field as the options do.
    (field) => field.replace(/^assumptions\./, ""),
    // The catalogue checks keys and choices.
    () => json(world.assume(body as Parameters<SimulatorCore["assume"]>[0])),
  );
}

/** `sim.audit()` without its method. */
function audit({ world }: ControlCall): Reply {
  const { assertNothingLostOrDoubled: _, ...figures } = world.audit();
  return json(figures);
}
