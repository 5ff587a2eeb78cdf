/** The JSON schema of scenarios, made from the schema that parses them. */

import { toJsonSchema } from "@valibot/to-json-schema";
import { getTitle } from "valibot";
import { scenarioSchema } from "../../../src/play/scenario/scenario-schema.ts";

/** Shared parts come without names, so each is named after its title. */
export function generatedSchema(): object {
  const {
    $schema,
    $defs = {},
    ...schema
  } = toJsonSchema(scenarioSchema, {
    target: "draft-2020-12",
    typeMode: "output",
    // Checks that only code can make: parseScenario alone refuses what they find.
    ignoreActions: ["check", "raw_check", "raw_transform"],
    overrideRef: ({ valibotSchema }) => `#/$defs/${getTitle(valibotSchema)}`,
  });
  const parts = Object.values<object>($defs as Readonly<Record<string, object>>).map((part) => {
    const { title, ...rest } = part as { readonly title: string };
    return [title, rest] as const;
  });
  return { $schema, ...schema, $defs: Object.fromEntries(parts) };
}
