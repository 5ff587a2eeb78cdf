/**
 * The JSON schema of scenarios, for editors and other tools. docs/scenario.schema.json is generated from the schema that
 * parses them. In the package `build/data.ts` inlines it here as data, for bundlers.
 */

import { readFileSync } from "node:fs";
import type { JsonSchema } from "../../spec/responses.ts";

const file = new URL("../../../docs/scenario.schema.json", import.meta.url);

/** In the dialect 2020-12. parseScenario rejects everything that it rejects, and more. */
export const scenarioJsonSchema: JsonSchema = JSON.parse(readFileSync(file, "utf8"));
