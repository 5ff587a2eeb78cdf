/**
 * Scenarios over the control API: lists those that come with adsim, and plays one in a world. The player is loaded by the
 * first request that needs it, because most servers never play a scenario.
 */

import * as v from "valibot";
import { didYouMean } from "../base/did-you-mean.ts";
import { InputError, isPlainObject, parseInput } from "../base/input.ts";
import { strictObject } from "../base/schema-builders.ts";
import { adsimLine } from "../base/shell.ts";
import {
  isOverridden,
  type Overrides,
  overrideWords,
  withOverrides,
} from "../play/language/overrides.ts";
import type { Scenario } from "../play/language/scenario.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import type { Readings } from "../simulator/simulator-options.ts";
import { catalogue } from "../spec/assumptions/catalogue.ts";
import type { Work } from "../spec/work.ts";
import { jsonInSlices } from "./input.ts";
import { objectPieces } from "./list-pieces.ts";
import type { ControlCall, ControlRoute, Reply, ScenarioPlayer } from "./route.ts";

/** JSON is parsed in one step, so a larger body would delay other requests. `adsim play` takes larger files. */
const MAX_PLAY_BYTES: number = 1024 * 1024;
/** Enough for as many steps as a scenario may have. */
const MAX_PARTS = 120_000;
/** These take about ten seconds, which a client may wait for one answer. */
const MAX_REQUESTS = 200_000;
const MAX_COST = 400_000;
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
    method: "GET",
    path: "scenarios/play",
    answer: ({ world }) => ({
      kind: "json",
      value: { playing: plays.get(world)?.at(-1)?.() ?? null },
    }),
  },
  {
    method: "POST",
    path: "scenarios/play",
    body: "required",
    maxBodyBytes: MAX_PLAY_BYTES,
    parse: (text) => jsonInSlices(text, MAX_PARTS),
    answer: play,
  },
];

function* playerOf({ load }: ControlCall): Work<ScenarioPlayer> {
  const player = yield* load("scenarios");
  if (player !== undefined) return player;
  // The HTTP server always loads the player first.
  throw new InputError(
    "path",
    "needs the scenario player, which isn't loaded: it is available over HTTP. In process, use adsim/scenario",
    "conflict",
  );
}

/** @throws InputError if no scenario has this name. */
function shippedByName(
  { find, list }: ScenarioPlayer,
  name: string,
  field: "name" | "scenario",
): Scenario {
  const scenario = find(name);
  if (scenario !== undefined) return scenario;
  const names = list().map((each) => each.name);
  const hint = `${didYouMean(name, names)} GET /_sim/scenarios lists them`;
  throw new InputError(
    field,
    `is not the name of a scenario that comes with adsim.${hint}`,
    "not-found",
  );
}

/** How far a play has come. */
interface PlayProgress {
  /** Null if the scenario came with the request. */
  readonly name: string | null;
  /** The step that is being played, from 1; 0 before the first. */
  readonly step: number;
  readonly steps: number;
  readonly requests: number;
}

/** The plays that are going on in a world, the latest last. */
const plays = new WeakMap<HostedCore, readonly (() => PlayProgress)[]>();

const playSchema = strictObject({
  name: v.optional(v.string()),
  // The player checks its content.
  scenario: v.optional(v.custom<object>(isPlainObject, "must be a scenario as a JSON object")),
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
 * Plays in a separate world, whose state and journal this world takes over at the end. Until then this world answers as
 * before, and a play that is refused or abandoned changes nothing.
 */
function* play(call: ControlCall): Work<Reply> {
  const player = yield* playerOf(call);
  const { name, scenario, ...overrides } = parseInput(playSchema, call.body);
  if ((name === undefined) === (scenario === undefined)) {
    throw new InputError(
      name === undefined ? "name" : "scenario",
      name === undefined
        ? "is required, unless a whole scenario is given as scenario"
        : "can't be combined with name: give only one of them",
    );
  }
  yield;
  const whole = withOverrides(scenario ?? shippedByName(player, name ?? "", "name"), overrides);
  yield;
  const { world } = call;
  const simulator = world.createSuccessor();
  const before = simulator.journal.total;
  let [step, steps] = [0, 0];
  const progress = (): PlayProgress => {
    return { name: name ?? null, step, steps, requests: simulator.journal.total - before };
  };
  plays.set(world, [...(plays.get(world) ?? []), progress]);
  try {
    const result = yield* player.play(whole, {
      simulator,
      maxRequests: MAX_REQUESTS,
      maxCost: MAX_COST,
      reproduce: adsimLine(["play", name ?? "FILE", ...overrideWords(overrides)]),
      onStep(index, count) {
        [step, steps] = [index + 1, count];
      },
    });
    world.adopt(simulator);
    return { kind: "pieces", pieces: objectPieces(result, "steps") };
  } catch (error) {
    throw errorInBody(error, overrides);
  } finally {
    const others = plays.get(world)?.filter((one) => one !== progress) ?? [];
    plays.set(world, others);
  }
}

/** An error in the scenario names its place in the body, and is never a conflict with the world of the path. */
function errorInBody(error: unknown, overrides: Overrides): unknown {
  if (!(error instanceof InputError)) return error;
  const isTooMuch = error.reason === "too-much";
  const reason = isTooMuch ? error.reason : "invalid";
  const { field } = error;
  const expected = isTooMuch ? `${error.expected} npx adsim play FILE takes more` : error.expected;
  if (isOverridden(field, overrides)) return new InputError(field, expected, reason);
  const inner = field === "" || field === "scenario" ? "" : `.${field}`;
  return new InputError(`scenario${inner}`, expected, reason);
}
