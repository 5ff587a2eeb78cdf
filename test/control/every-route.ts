/** A correct request for each route of the control API, and worlds to send it to. A route without one fails the tests. */

import { controlModules } from "../../src/adapters/control-modules.ts";
import type { ControlRoute } from "../../src/control/route.ts";
import { controlRoutes } from "../../src/control/routes.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";
import { senderOf } from "../operation-sender.ts";
import { JSON_BODY, worldsOf } from "../worlds.ts";

const rule = { id: "second", match: { nth: [1, 2] }, verdict: { kind: "respond", status: 503 } };

/** By method and path. */
const bodies: Readonly<Record<string, (world: SimulatorCore) => object>> = {
  "POST publishers": () => ({ name: "Somebody", surfaces: ["Main", { name: "Other" }] }),
  "PATCH publishers/:publisher/surfaces/:surface": () => ({ status: "paused", cpmRange: [1, 2] }),
  "POST publishers/:publisher/rotate-key": () => ({}),
  "PUT clock": () => ({ mode: "flowing", now: "2026-03-01T00:00:00Z" }),
  "POST clock/advance": () => ({ by: "1m" }),
  "PATCH assumptions": () => ({ "dedup.repeat": "conflict", "errors.invalid": "422" }),
  "POST faults": () => rule,
  "POST worlds": () => ({ name: "third", from: "other" }),
  "PUT snapshot": (world) => world.fork().snapshot(),
  "POST reset": () => ({ seed: "other" }),
  "POST history/:sequence/what-if": () => ({ fault: rule }),
  "POST scenarios/play": () => ({ name: "lost-ack", seed: "other" }),
};

/** What a variable part of a path stands for. */
const parts: Readonly<Record<string, (world: SimulatorCore) => string | undefined>> = {
  publisher: (world) => world.publishers.at(0).id,
  surface: (world) => world.publishers.at(0).surfaces[0]?.id,
  id: () => "first",
  name: () => "other",
  scenario: () => "lost-ack",
  sequence: () => "1",
};

/** All but the page that only browsers get. */
export const apiRoutes = controlRoutes
  .filter(({ path }) => path !== "")
  .map((route): [name: string, route: ControlRoute] => [`${route.method} ${route.path}`, route]);

/** The path with an existing value for each variable part, or the value that `instead` has for it. */
export function pathFor(
  path: string,
  world: SimulatorCore,
  instead: Readonly<Record<string, string>> = {},
): string {
  return path.replaceAll(/:(\w+)/g, (part, name) => {
    const value = instead[name] ?? parts[name]?.(world);
    if (value === undefined) throw new Error(`Say in every-route.ts what ${part} stands for.`);
    return value;
  });
}

export function requestFor({ method, path, body }: ControlRoute, world: SimulatorCore): ApiRequest {
  const request = { method, path: `/_sim/${pathFor(path, world)}` };
  if (body === undefined) return request;
  const sent = bodies[`${method} ${path}`];
  if (sent === undefined) throw new Error(`Add a body for ${method} ${path} to every-route.ts.`);
  return { ...request, headers: JSON_BODY, body: JSON.stringify(sent(world)) };
}

/** The real page takes long to build, and its own tests load it. */
const modules = {
  ...controlModules,
  inspector: async () => ({ html: "<p>", script: "1", style: "p{}" }),
};

/** Two worlds, one of them with a rule, events, a journal, and a clock that was moved. */
export function stage(): Worlds {
  const worlds = worldsOf({ publishers: 3, wallClock: () => 0 }, { modules });
  setUp(worlds);
  return worlds;
}

export function setUp(worlds: Worlds): void {
  const world = worlds.get("default");
  worlds.get("other");
  world.faults.add({ id: "first", match: { operation: "payouts" }, verdict: { kind: "reset" } });
  for (const session of ["a", "b"]) record(world, session);
  world.clock.advance("1m");
}

export function record(world: SimulatorCore, session: string): ApiResponse {
  return senderOf(world).impression(session);
}

/** All that a control request could change. */
export function stateOf(worlds: Worlds): string {
  const states = worlds.names().map((name) => {
    const { snapshot, faults, clock, journal } = worlds.get(name);
    const entries = journal.entries({ secrets: "shown" });
    return [name, snapshot(), faults.list(), clock.mode, clock.now(), entries, journal.changes()];
  });
  return JSON.stringify(states);
}
