/**
 * The JSON schema of scenarios, for their parser, editors and other tools. `npm run docs` generates docs/scenario.schema.json
 * from types.ts. In the package `build/bundle.ts` inlines it here as data, for bundlers.
 */

import { readFileSync } from "node:fs";
import type { JsonSchema } from "../../spec/responses.ts";

const file = new URL("../../../docs/scenario.schema.json", import.meta.url);

/** In the dialect draft-07. parseScenario rejects everything that it rejects, and more. */
export const scenarioJsonSchema: JsonSchema = JSON.parse(readFileSync(file, "utf8"));
