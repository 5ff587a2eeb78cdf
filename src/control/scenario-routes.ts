/** Scenarios: lists those that come with adsim, and plays one in a world. */

import * as v from "valibot";
import { didYouMean } from "../base/did-you-mean.ts";
import { InputError } from "../base/input.ts";
import { strictObject } from "../base/schemas.ts";
import { adsimLine } from "../base/shell.ts";
import { isOverridden, overrideWords, withOverrides } from "../play/scenario/parse-scenario.ts";
import type { Scenario } from "../play/scenario/types.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { Choices } from "../simulator/simulator-options.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { checkedLater } from "./read-request.ts";
import { json } from "./responses.ts";
import { type ControlCall, type ControlRoute, type QuerySchemas, route } from "./route.ts";

// The player checks the content.
const playSchema = strictObject({
  name: v.optional(v.string()),
  scenario: v.optional(checkedLater<object>()),
  seed: v.optional(v.string()),
  start: v.optional(v.string()),
  assumptions: v.optional(checkedLater<Choices>()),
});

export const scenarioRoutes: readonly ControlRoute[] = [
  route("GET scenarios", {}, async ({ modules }) => {
    const { shipped } = await modules.scenarios();
    return json({ scenarios: shipped.map(({ name, about }) => ({ name, about })) });
  }),
  route("GET scenarios/:scenario", {}, async ({ modules, part }) => {
    const { shipped } = await modules.scenarios();
    return json(scenarioNamed(part("scenario"), shipped, "scenario"));
  }),
  route("POST scenarios/play", { body: { schema: playSchema } }, play),
];

/** @throws InputError if no scenario has this name. */
function scenarioNamed(name: string, shipped: readonly Scenario[], field: string): Scenario {
  const scenario = shipped.find((each) => each.name === name);
  if (scenario !== undefined) return scenario;
  const names = shipped.map((each) => each.name);
  const hint = `${didYouMean(name, names)} GET /_sim/scenarios lists them`;
  const expected = `is not the name of a scenario that comes with adsim.${hint}`;
  throw new InputError(field, expected, "not-found");
}

/** The worlds in which a play is going on. */
const playing = new WeakSet<HostedCore>();

/** These take about ten seconds, which a client may wait for one answer. `adsim play` takes more, and larger files. */
const MAX_REQUESTS = 200_000;

/** Plays in the world itself. A play that fails or is abandoned leaves the world where it stopped. */
async function play({
  world,
  client,
  modules,
  body,
}: ControlCall<QuerySchemas, v.InferOutput<typeof playSchema>>): Promise<ApiResponse> {
  const { name, scenario, ...overrides } = body;
  if ((name === undefined) === (scenario === undefined)) {
    throw new InputError("name", "or a whole scenario (scenario) is required, but not both");
  }
  const player = await modules.scenarios();
  const given = scenario ?? scenarioNamed(name ?? "", player.shipped, "name");
  if (playing.has(world)) {
    const expected = "can't be played now: wait for the play in this world, or use another world";
    throw new InputError("scenario", expected, "conflict");
  }
  playing.add(world);
  let stopped = "";
  const options = {
    maxRequests: MAX_REQUESTS,
    reproduce: adsimLine(["play", name ?? "FILE", ...overrideWords(overrides)]),
    onStep() {
      stopped = " The world stays as it was when the play stopped.";
    },
  };
  try {
    return json(await player.play(world, withOverrides(given, overrides), options, client));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { field, expected, reason } = error;
    const place = isOverridden(field, overrides) ? field : `scenario.${field}`;
    if (reason !== "too-much") throw new InputError(place, `${expected}${stopped}`);
    throw new InputError(place, `${expected} npx adsim play FILE takes more.`, reason);
  } finally {
    playing.delete(world);
  }
}
