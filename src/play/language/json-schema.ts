/**
 * The JSON schema of scenarios, for editors and other tools: docs/scenario.schema.json, which is made from the schema that
 * parses them. In the package this file holds it as data, for bundlers; `build-scenarios.ts` writes that.
 */

import { readFileSync } from "node:fs";
import type { JsonSchema } from "../../spec/responses.ts";

const file = new URL("../../../docs/scenario.schema.json", import.meta.url);

/** The schema, in the dialect 2020-12. What it refuses, parseScenario refuses. */
export const scenarioJsonSchema: JsonSchema = JSON.parse(readFileSync(file, "utf8"));
