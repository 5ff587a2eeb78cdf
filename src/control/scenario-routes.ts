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
import { checkedLater } from "./read-request.ts";
import { json } from "./responses.ts";
import { type ControlRoute, route } from "./route.ts";

/** The worlds in which a play is going on. */
const playing = new WeakSet<HostedCore>();

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

export const scenarioRoutes: readonly ControlRoute[] = [
  route("GET scenarios", {}, async ({ modules }) => {
    const shipped = await modules.scenarios();
    return json({ scenarios: shipped.map(({ name, about }) => ({ name, about })) });
  }),
  route("GET scenarios/:scenario", {}, async ({ modules, part }) =>
    json(scenarioNamed(part("scenario"), await modules.scenarios(), "scenario")),
  ),

  // Plays in the world itself. A play that fails or is abandoned leaves the world where it stopped.
  route("POST scenarios/play", { body: playSchema }, async ({ world, client, modules, body }) => {
    const { name, scenario, ...overrides } = body;
    if ((name === undefined) === (scenario === undefined)) {
      throw new InputError("name", "or a whole scenario (scenario) is required, but not both");
    }
    const given = scenario ?? scenarioNamed(name ?? "", await modules.scenarios(), "name");
    const { playInWorld } = await import("../play/play-scenario.ts");
    const { createTurns } = await import("../play/targets/turns.ts");
    if (playing.has(world)) {
      const expected = "can't be played now: wait for the play in this world, or use another world";
      throw new InputError("scenario", expected, "conflict");
    }
    playing.add(world);
    let stopped = "";
    try {
      const result = await playInWorld(world, withOverrides(given, overrides), {
        maxRequests: MAX_REQUESTS,
        reproduce: adsimLine(["play", name ?? "FILE", ...overrideWords(overrides)]),
        turns: createTurns(() => {
          if (client.hasLeft()) throw new InputError("", "was stopped: its client has left");
        }),
        onStep() {
          stopped = " The world stays as it was when the play stopped.";
        },
      });
      return json(result);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const { field, expected, reason } = error;
      const place = isOverridden(field, overrides) ? field : `scenario.${field}`;
      if (reason !== "too-much") throw new InputError(place, `${expected}${stopped}`);
      throw new InputError(place, `${expected} npx adsim play FILE takes more.`, reason);
    } finally {
      playing.delete(world);
    }
  }),
];

/** @throws InputError if no scenario has this name. */
function scenarioNamed(name: string, shipped: readonly Scenario[], field: string): Scenario {
  const scenario = shipped.find((each) => each.name === name);
  if (scenario !== undefined) return scenario;
  const names = shipped.map((each) => each.name);
  const expected = `is not the name of a scenario that comes with adsim.${didYouMean(name, names)} GET /_sim/scenarios lists them`;
  throw new InputError(field, expected, "not-found");
}
