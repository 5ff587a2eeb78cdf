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
} from "../play/scenario/overrides.ts";
import type { Scenario } from "../play/scenario/types.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { Choices } from "../simulator/simulator-options.ts";
import { catalogue } from "../spec/assumptions/catalogue.ts";
import type { ControlCall, ControlRoute, Reply, ScenarioPlayer } from "./route.ts";

/** These take about ten seconds, which a client may wait for one answer. `adsim play` takes more, and larger files. */
const MAX_REQUESTS = 200_000;
const MAX_ASSUMPTIONS = Object.keys(catalogue).length;

export const scenarioRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "scenarios",
    async answer(call) {
      const { list } = await playerOf(call);
      return { kind: "json", value: { scenarios: list() } };
    },
  },
  {
    method: "GET",
    path: "scenarios/:scenario",
    async answer(call) {
      const player = await playerOf(call);
      return { kind: "json", value: shippedByName(player, call.part("scenario"), "scenario") };
    },
  },
  {
    method: "GET",
    path: "scenarios/play",
    answer: ({ world }) => ({
      kind: "json",
      value: { playing: plays.get(world)?.() ?? null },
    }),
  },
  {
    method: "POST",
    path: "scenarios/play",
    body: "required",
    answer: play,
  },
];

async function playerOf({ modules }: ControlCall): Promise<ScenarioPlayer> {
  if (modules.scenarios !== undefined) return await modules.scenarios();
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

/** The play that is going on in a world. */
const plays = new WeakMap<HostedCore, () => PlayProgress>();

const playSchema = strictObject({
  name: v.optional(v.string()),
  // The player checks its content.
  scenario: v.optional(v.custom<object>(isPlainObject, "must be a scenario as a JSON object")),
  seed: v.optional(v.string()),
  start: v.optional(v.string()),
  assumptions: v.optional(
    v.custom<Choices>(
      (given) => isPlainObject(given) && Object.keys(given).length <= MAX_ASSUMPTIONS,
      `must be an object of choices by key, at most ${MAX_ASSUMPTIONS}`,
    ),
  ),
});

/** Plays in the world itself. A play that fails or is abandoned leaves the world where it stopped. */
async function play(call: ControlCall): Promise<Reply> {
  const player = await playerOf(call);
  const { name, scenario, ...overrides } = parseInput(playSchema, call.body);
  if ((name === undefined) === (scenario === undefined)) {
    throw new InputError(
      name === undefined ? "name" : "scenario",
      name === undefined
        ? "is required, unless a whole scenario is given as scenario"
        : "can't be combined with name: give only one of them",
    );
  }
  const whole = withOverrides(scenario ?? shippedByName(player, name ?? "", "name"), overrides);
  const { world } = call;
  if (plays.has(world)) {
    throw new InputError(
      "scenario",
      "can't be played now: another play is going on in this world. Wait for its end, or use another world",
      "conflict",
    );
  }
  const before = world.journal.total;
  let [step, steps] = [0, 0];
  plays.set(world, () => ({
    name: name ?? null,
    step,
    steps,
    requests: world.journal.total - before,
  }));
  const options = {
    maxRequests: MAX_REQUESTS,
    reproduce: adsimLine(["play", name ?? "FILE", ...overrideWords(overrides)]),
    onStep(index: number, count: number) {
      [step, steps] = [index + 1, count];
    },
  };
  try {
    return { kind: "json", value: await player.play(world, whole, options, call.client) };
  } catch (error) {
    throw errorInBody(error, overrides, step);
  } finally {
    plays.delete(world);
  }
}

/**
 * An error in the scenario names its place in the body, and is never a conflict with the world of the path. `step`: the one
 * that was being played, 0 before the first.
 */
function errorInBody(error: unknown, overrides: Overrides, step: number): unknown {
  if (!(error instanceof InputError)) return error;
  const isTooMuch = error.reason === "too-much";
  const reason = isTooMuch ? error.reason : "invalid";
  const { field } = error;
  const stopped = step > 0 ? ` The world stays as it was when step ${step} stopped.` : "";
  const help = isTooMuch ? " npx adsim play FILE takes more." : stopped;
  const expected = `${error.expected}${help}`;
  if (isOverridden(field, overrides)) return new InputError(field, expected, reason);
  const inner = field === "" || field === "scenario" ? "" : `.${field}`;
  return new InputError(`scenario${inner}`, expected, reason);
}
