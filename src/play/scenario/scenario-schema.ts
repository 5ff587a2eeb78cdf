/**
 * The schema of a whole scenario. docs/scenario.schema.json is generated from it. Checks that need more than one part of
 * the scenario, such as whether a name exists, are made elsewhere.
 */

import * as v from "valibot";
import { described, optional, type Schema, withJsonSchema } from "../../base/schema-builders.ts";
import { instantText } from "../../base/schemas.ts";
import { MAX_RULES, ruleSchema } from "../../faults/rule.ts";
import { publisherCount } from "../../simulator/simulator-options.ts";
import { profileNames } from "../../world/publishers/profiles.ts";
import { choices } from "./choices.ts";
import { expectation } from "./expectations.ts";
import { exactObject, oneOf, textUpTo } from "./schema-parts.ts";
import { steps } from "./step-schemas.ts";
import type { Scenario } from "./types.ts";

const MAX_THRESHOLDS = 20;

export const scenarioSchema: Schema<Scenario> = v.pipe(
  exactObject<Scenario>({
    $schema: optional(v.string(), "The URL of this schema, for editors."),
    name: v.pipe(
      v.string(),
      v.maxLength(64, "must have at most 64 characters"),
      v.regex(
        /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/,
        "must be letters and digits, with single hyphens between them",
      ),
      v.description("Letters, digits and hyphens."),
    ),
    about: described(
      textUpTo(10_000),
      "What a client must survive, in a sentence or two. Lists show the first sentence.",
    ),
    seed: optional(v.string(), "Seed of the world's random draws. Default: adsim."),
    // Instants before 1970 are rejected with the simulator's other options.
    start: optional(
      withJsonSchema(instantText, v.string()),
      "When the clock starts. Default: 2026-01-15T00:00:00Z.",
    ),
    publishers: optional(publisherCount, "Number of seeded publishers. Default: 25."),
    profile: optional(
      oneOf(profileNames),
      "What the publishers' history is like. Default: typical.",
    ),
    assumptions: optional(choices, "Choices for assumptions, in force from the start."),
    faults: optional(
      v.pipe(
        v.array(ruleSchema, "must be a list of rules"),
        v.maxLength(MAX_RULES, `must be at most ${MAX_RULES} rules`),
        v.description("Fault rules from the start."),
      ),
    ),
    steps: described(steps, "What happens, in order."),
    expectations: optional(
      v.array(expectation, "must be a list of expectations"),
      "What must hold after the last step.",
    ),
    thresholds: optional(
      v.pipe(
        v.array(textUpTo(200), "must be a list of strings"),
        v.maxLength(MAX_THRESHOLDS, `must be at most ${MAX_THRESHOLDS} thresholds`),
        v.description(
          'Bounds for the whole run, such as "p99 < 50ms", "errors < 0.1%", "invariants = 0".',
        ),
      ),
    ),
    result: optional(
      oneOf(["passed", "failed"]),
      "failed for a scenario that shows a defect: it passes if something fails. Default: passed.",
    ),
  }),
  v.title("An adsim scenario"),
  v.description("What happens, in which order, and what is expected."),
);
