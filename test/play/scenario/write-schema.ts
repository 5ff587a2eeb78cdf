/** Writes docs/scenario.schema.json: `npm run docs`. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedSchema } from "./generated-schema.ts";

const file = join(import.meta.dirname, "../../../docs/scenario.schema.json");
writeFileSync(file, `${JSON.stringify(generatedSchema(), undefined, 2)}\n`);
