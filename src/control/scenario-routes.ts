/**
 * Scenarios over the control API: those that come with adsim, and playing one in a world. What plays them isn't imported
 * here, since most servers never play one: an adapter loads it before it hands such a request over.
 */

import * as v from "valibot";
import { InputError, isPlainObject, parseInput } from "../base/input.ts";
import { commandLine } from "../base/shell.ts";
import {
  isOverridden,
  type Overrides,
  overrideWords,
  withOverrides,
} from "../play/language/overrides.ts";
import type { Scenario } from "../play/language/scenario.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import { catalogue } from "../spec/assumptions/catalogue.ts";
import type { Work } from "../spec/work.ts";
import type { ControlCall, ControlRoute, Reply, ScenarioPlayer } from "./route.ts";

/** JSON is parsed in one go: a larger body would hold up other requests. `adsim play` takes larger files. */
const MAX_PLAY_BYTES: number = 1024 * 1024;
/** As long as a client may wait for one answer: some ten seconds. */
const MAX_REQUESTS = 200_000;
const MAX_COST = 400_000;
/** As many as there are keys. */
const MAX_ASSUMPTIONS = Object.keys(catalogue).length;

export const scenarioRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "scenarios",
    *answer(call) {
      const { list } = yield* playerOf(call);
      return { kind: "json", value: { scenarios: list() } };
    },
  },
  {
    method: "GET",
    path: "scenarios/:scenario",
    *answer(call) {
      const player = yield* playerOf(call);
      return { kind: "json", value: shippedByName(player, call.part("scenario"), "scenario") };
    },
  },
  {
    method: "POST",
    path: "scenarios/play",
    body: "required",
    maxBodyBytes: MAX_PLAY_BYTES,
    answer: play,
  },
];

function* playerOf({ load }: ControlCall): Work<ScenarioPlayer> {
  const player = yield* load("scenarios");
  if (player !== undefined) return player;
  // Only what hands requests over without an adapter's server gets to see this.
  throw new InputError(
    "path",
    "needs what isn't loaded yet: the server loads it with the first such request over HTTP. In process, use adsim/scenario",
    "conflict",
  );
}

/** @throws InputError where there is none of this name. */
function shippedByName(
  { find }: ScenarioPlayer,
  name: string,
  field: "name" | "scenario",
): Scenario {
  const scenario = find(name);
  if (scenario !== undefined) return scenario;
  throw new InputError(
    field,
    "is not the name of one that comes with adsim: GET /_sim/scenarios lists them",
    "not-found",
  );
}

const playSchema = v.strictObject({
  name: v.optional(v.string()),
  // The player looks at what is in it.
  scenario: v.optional(v.custom<object>(isPlainObject, "must be an object, as it is written")),
  seed: v.optional(v.string()),
  start: v.optional(v.string()),
  assumptions: v.optional(
    v.custom<Readings>(
      (given) => isPlainObject(given) && Object.keys(given).length <= MAX_ASSUMPTIONS,
      `must be an object of choices by key, at most ${MAX_ASSUMPTIONS}`,
    ),
  ),
});

/**
 * Plays in a world beside, whose state and journal this world takes over in the end: until then it answers as it did, and
 * where a play is refused or given up, nothing has changed.
 */
function* play(call: ControlCall): Work<Reply> {
  const player = yield* playerOf(call);
  const { name, scenario, ...overrides } = parseInput(playSchema, call.body);
  if ((name === undefined) === (scenario === undefined)) {
    throw new InputError(
      name === undefined ? "name" : "scenario",
      name === undefined
        ? "is required: that of a shipped scenario, or a whole one as scenario"
        : "must not be there beside name: give one of the two",
    );
  }
  yield;
  const whole = withOverrides(scenario ?? shippedByName(player, name ?? "", "name"), overrides);
  yield;
  const { world } = call;
  const simulator = world.createSuccessor();
  try {
    const value = yield* player.play(whole, {
      simulator,
      maxRequests: MAX_REQUESTS,
      maxCost: MAX_COST,
      reproduce: commandLine(["adsim", "play", name ?? "FILE", ...overrideWords(overrides)]),
    });
    world.adopt(simulator);
    return { kind: "json", value };
  } catch (error) {
    throw errorInBody(error, overrides);
  }
}

/** What is wrong with the scenario is so at its place in the body, and never a conflict with the world of the path. */
function errorInBody(error: unknown, overrides: Overrides): unknown {
  if (!(error instanceof InputError)) return error;
  const { field, expected } = error;
  const reason = error.reason === "too-much" ? error.reason : "invalid";
  if (isOverridden(field, overrides)) return new InputError(field, expected, reason);
  const inner = field === "" || field === "scenario" ? "" : `.${field}`;
  return new InputError(`scenario${inner}`, expected, reason);
}
