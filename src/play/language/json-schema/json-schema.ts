/**
 * The JSON schema of scenarios, for editors and other tools. What it refuses, parseScenario refuses; what only a look at
 * the whole scenario can tell, such as whether a name is there, parseScenario alone does.
 */

import { LONGEST_SEED } from "../../../base/schemas.ts";
import { MOST_RULES } from "../../../faults/rule.ts";
import { catalogue, type OpenPoint } from "../../../spec/assumptions/catalogue.ts";
import type { JsonSchema } from "../../../spec/responses.ts";
import { MAX_POPULATION } from "../../../world/publishers/population.ts";
import { profileNames } from "../../../world/publishers/profiles.ts";
import { MOST_STEPS, MOST_THRESHOLDS, SCENARIO_NAME } from "../parse/parse-scenario.ts";
import { expectationParts } from "./expectations.ts";
import { faultParts } from "./faults.ts";
import { choice, object, part, smallParts, whole } from "./parts.ts";
import { stepsParts } from "./steps.ts";
import { trafficParts } from "./traffic.ts";

const points: Readonly<Record<string, OpenPoint>> = catalogue;

const readings: JsonSchema = object(
  Object.fromEntries(
    Object.entries(points).map(([key, { question, choices, default: preset }]) => [
      key,
      {
        anyOf: Object.entries(choices).map(([name, says]) => ({ const: name, description: says })),
        default: preset,
        description: question,
      },
    ]),
  ),
);

/** The schema, in the dialect 2020-12. */
export const scenarioJsonSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "A scenario of adsim",
  description: "What happens, in which order, and what must come of it.",
  ...object(
    {
      $schema: { type: "string", description: "Where editors find this schema." },
      name: {
        type: "string",
        maxLength: 64,
        pattern: SCENARIO_NAME.source,
        description: "Letters, digits and hyphens.",
      },
      about: {
        type: "string",
        minLength: 1,
        description: "What a client must survive, in a sentence or two. Lists show the first.",
      },
      seed: {
        type: "string",
        maxLength: LONGEST_SEED,
        description: "What the world's draws follow from. Default: adsim.",
      },
      start: part("instant", "The first instant. Default: 2026-01-15T00:00:00Z."),
      publishers: whole(1, "How many seeded publishers there are. Default: 25.", MAX_POPULATION),
      profile: choice(profileNames, "What the publishers' history is like. Default: typical."),
      assumptions: part("readings", "Readings of the spec's open points from the start."),
      faults: {
        type: "array",
        items: part("faultRule"),
        maxItems: MOST_RULES,
        description: "Fault rules from the start.",
      },
      steps: {
        ...part("steps"),
        type: "array",
        maxItems: MOST_STEPS,
        description: "What happens, in order.",
      },
      expectations: {
        type: "array",
        items: part("expectation"),
        description: "What must hold after the last step.",
      },
      thresholds: {
        type: "array",
        items: { type: "string", minLength: 1 },
        maxItems: MOST_THRESHOLDS,
        description:
          'Bounds of the whole run, such as "p99 < 50ms", "errors < 0.1%", "invariants = 0".',
      },
    },
    ["name", "about", "steps"],
  ),
  $defs: {
    ...smallParts,
    ...expectationParts,
    ...trafficParts,
    ...faultParts,
    ...stepsParts,
    readings,
  },
};
