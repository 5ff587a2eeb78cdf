/** Scenarios: lists those that come with adsim, and plays one in a world. */

import * as v from "valibot";
import { didYouMean } from "../base/did-you-mean.ts";
import { InputError } from "../base/input.ts";
import { strictObject } from "../base/schemas.ts";
import { adsimLine } from "../base/shell.ts";
import {
  isOverridden,
  type Overrides,
  overrideWords,
  withOverrides,
} from "../play/scenario/parse-scenario.ts";
import type { Scenario } from "../play/scenario/types.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { Choices } from "../simulator/simulator-options.ts";
import type { FollowedResponse } from "../spec/messages.ts";
import { checkedLater } from "./read-request.ts";
import { json } from "./responses.ts";
import { type ControlCall, type ControlRoute, route, type ScenarioPlayer } from "./route.ts";

/** These take about ten seconds, which a client may wait for one answer. `adsim play` takes more, and larger files. */
const MAX_REQUESTS = 200_000;

// The player checks the content.
const playSchema = strictObject({
  name: v.optional(v.string()),
  scenario: v.optional(checkedLater<object>()),
  seed: v.optional(v.string()),
  start: v.optional(v.string()),
  assumptions: v.optional(checkedLater<Choices>()),
});
type Play = v.InferOutput<typeof playSchema>;

export const scenarioRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "scenarios",
    async answer({ modules }) {
      const { list } = await modules.scenarios();
      return json({ scenarios: list() });
    },
  }),
  route({
    method: "GET",
    path: "scenarios/:scenario",
    answer: async ({ modules, part }) =>
      json(shippedByName(await modules.scenarios(), part("scenario"), "scenario")),
  }),
  route({
    method: "GET",
    path: "scenarios/play",
    answer: ({ world }) => json({ playing: plays.get(world)?.() ?? null }),
  }),
  route({
    method: "POST",
    path: "scenarios/play",
    body: { schema: playSchema },
    answer: async (call) => play(call, call.body, await call.modules.scenarios()),
  }),
];

/** @throws InputError if no scenario has this name. */
function shippedByName({ find, list }: ScenarioPlayer, name: string, field: string): Scenario {
  const scenario = find(name);
  if (scenario !== undefined) return scenario;
  const names = list().map((each) => each.name);
  const hint = `${didYouMean(name, names)} GET /_sim/scenarios lists them`;
  const expected = `is not the name of a scenario that comes with adsim.${hint}`;
  throw new InputError(field, expected, "not-found");
}

/** How far the play that is going on in a world has come: `step` counts from 1, and is 0 before the first. */
const plays = new WeakMap<HostedCore, () => object>();

/** Plays in the world itself. A play that fails or is abandoned leaves the world where it stopped. */
async function play(
  { world, client }: ControlCall,
  { name, scenario, ...overrides }: Play,
  player: ScenarioPlayer,
): Promise<FollowedResponse> {
  if (name === undefined && scenario === undefined) {
    throw new InputError("name", "is required, unless a whole scenario is given as scenario");
  }
  if (name !== undefined && scenario !== undefined) {
    throw new InputError("scenario", "can't be combined with name: give only one of them");
  }
  const whole = withOverrides(scenario ?? shippedByName(player, name ?? "", "name"), overrides);
  if (plays.has(world)) {
    const expected =
      "can't be played now: another play is going on in this world. Wait for its end, or use another world";
    throw new InputError("scenario", expected, "conflict");
  }
  const { journal } = world;
  const before = journal.total;
  let progress = { step: 0, steps: 0 };
  plays.set(world, () => ({
    name: name ?? null,
    ...progress,
    requests: journal.total - before,
  }));
  const options = {
    maxRequests: MAX_REQUESTS,
    reproduce: adsimLine(["play", name ?? "FILE", ...overrideWords(overrides)]),
    onStep(index: number, steps: number) {
      progress = { step: index + 1, steps };
    },
  };
  try {
    return json(await player.play(world, whole, options, client));
  } catch (error) {
    throw error instanceof InputError ? errorInBody(error, overrides, progress.step) : error;
  } finally {
    plays.delete(world);
  }
}

/** Names the error's place in the body. `step`: the one that was being played, 0 before the first. */
function errorInBody({ field, expected, reason }: InputError, sent: Overrides, step: number) {
  const isTooMuch = reason === "too-much";
  const stopped = step > 0 ? ` The world stays as it was when step ${step} stopped.` : "";
  const help = isTooMuch ? " npx adsim play FILE takes more." : stopped;
  const inScenario = field === "" || field === "scenario" ? "scenario" : `scenario.${field}`;
  const place = isOverridden(field, sent) ? field : inScenario;
  // It is never a conflict with the world of the path.
  return new InputError(place, `${expected}${help}`, isTooMuch ? reason : "invalid");
}
