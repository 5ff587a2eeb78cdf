/** A correct request for each route of the control API, and worlds to send it to. A route without one fails the tests. */

import { controlModules } from "../../src/adapters/server/control-modules.ts";
import type { ControlRoute } from "../../src/control/route.ts";
import { controlRoutes } from "../../src/control/routes.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";
import { senderOf } from "../operation-sender.ts";
import { JSON_BODY, worldsOf } from "../worlds.ts";

const rule = {
  id: "second",
  match: {
    operation: ["impression", "click"],
    publisher: "pub_somebody",
    surface: ["srf_some"],
    from: "2026-01-15T00:00:00Z",
    until: "2026-02-15T00:00:00Z",
    nth: [1, 2],
    every: 1,
    share: 0.5,
    times: 3,
    per: "world",
  },
  verdict: {
    kind: "respond",
    status: 503,
    headers: { "retry-after": "1" },
    body: { any: ["thing"] },
    applied: true,
    delay: { from: 1, to: "1s", shape: "long-tailed" },
  },
  ttl: "1h",
};

/** By method and path. */
const bodies: Readonly<Record<string, (world: SimulatorCore) => object>> = {
  "POST publishers": () => ({
    name: "Somebody",
    surfaces: ["Main", { name: "Other", status: "paused", cpmRange: [1, 2] }],
  }),
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
  "POST scenarios/play": () => ({
    name: "lost-ack",
    seed: "other",
    start: "2026-02-01T00:00:00Z",
    assumptions: { "errors.body": "flat" },
  }),
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
export const apiRoutes: readonly ControlRoute[] = controlRoutes.filter(
  ({ isForBrowsers }) => isForBrowsers !== true,
);

export function nameOf({ method, path }: ControlRoute): string {
  return `${method} ${path}`;
}

export function bodyFor(route: ControlRoute, world: SimulatorCore): object | undefined {
  if ((route.body ?? "none") === "none") return undefined;
  const body = bodies[nameOf(route)];
  if (body === undefined) throw new Error(`Add a body for ${nameOf(route)} to every-route.ts.`);
  return body(world);
}

/** The path with an existing value for each variable part, or the value that `instead` has for it. */
export function pathFor(
  { path }: Pick<ControlRoute, "path">,
  world: SimulatorCore,
  instead: Readonly<Record<string, string>> = {},
): string {
  return path
    .split("/")
    .map((part) => {
      if (!part.startsWith(":")) return part;
      const name = part.slice(1);
      const value = instead[name] ?? parts[name]?.(world);
      if (value === undefined) throw new Error(`Say in every-route.ts what ${part} stands for.`);
      return value;
    })
    .join("/");
}

export function requestFor(route: ControlRoute, world: SimulatorCore): ApiRequest {
  const path = `/_sim/${pathFor(route, world)}`;
  const body = bodyFor(route, world);
  if (body === undefined) return { method: route.method, path };
  return { method: route.method, path, headers: JSON_BODY, body: JSON.stringify(body) };
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
    const world = worlds.get(name);
    return {
      name,
      snapshot: world.snapshot(),
      faults: world.faults.list(),
      clock: [world.clock.mode, world.clock.now()],
      journal: [world.journal.total, world.journal.entries()],
    };
  });
  return JSON.stringify(states);
}

/** Each path with its routes. */
export const routesByPath: ReadonlyMap<string, readonly ControlRoute[]> = Map.groupBy(
  apiRoutes,
  ({ path }) => path,
);
