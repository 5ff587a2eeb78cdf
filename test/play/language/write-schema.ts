/** Writes docs/scenario.schema.json: `node test/play/language/write-schema.ts && npx biome format --write docs`. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenarioJsonSchema } from "../../../src/play/language/json-schema/json-schema.ts";

const file = join(import.meta.dirname, "../../../docs/scenario.schema.json");
writeFileSync(file, `${JSON.stringify(scenarioJsonSchema, undefined, 2)}\n`);
