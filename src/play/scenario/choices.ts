/** The schema of assumptions and choices. Conflicts between choices depend on all choices in force and are checked later. */

import * as v from "valibot";
import { InputError } from "../../base/input.ts";
import { namedSchema, optional, type Schema, withJsonSchema } from "../../base/schema-builders.ts";
import { type Choices, parseChoices } from "../../simulator/simulator-options.ts";
import {
  type Assumption,
  type AssumptionKey,
  catalogue,
} from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { pathOf } from "./schema-parts.ts";

const checked = v.pipe(
  v.custom<Choices>(() => true),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    try {
      const given = parseChoices(dataset.value);
      for (const [key, choice] of Object.entries(given)) checkChoice(key, choice);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const [first, ...rest] = error.field.split(".");
      const at = first ? { path: pathOf(dataset.value, [first, ...rest]) } : {};
      addIssue({ message: error.expected, ...at });
    }
  }),
);

export const choices: Schema<Choices> = namedSchema("choices", () =>
  withJsonSchema(
    v.strictObject(
      Object.fromEntries(
        Object.entries<Assumption>(catalogue).map(([key, point]) => [
          key,
          optional(choiceSchema(point)),
        ]),
      ),
    ),
    checked,
  ),
);

function choiceSchema({ question, choices, default: preset }: Assumption): Schema<string> {
  const all = Object.entries(choices).map(([name, says]) =>
    v.pipe(v.literal(name), v.description(says)),
  );
  return v.pipe(v.union(all), v.metadata({ default: preset, description: question }));
}

function checkChoice(key: string, choice: unknown): void {
  try {
    resolveAssumptions({ [key]: choice });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Choices that require another choice are checked later, with all choices in force.
    const isKnown = Object.hasOwn(catalogue, key) && typeof choice === "string";
    const choices: object = isKnown ? catalogue[key as AssumptionKey].choices : {};
    if (isKnown && Object.hasOwn(choices, choice)) return;
    throw new InputError(error.field.replace(/^assumptions\.?/, ""), error.expected);
  }
}
